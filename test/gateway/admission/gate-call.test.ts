import { expect, test } from "vitest";
import { createGateCall } from "../../../gateway/admission/gate-call.ts";
import { createRateLimit } from "../../../gateway/admission/rate-limit.ts";
import { Grants } from "../../../toolpacks/contract/grants.ts";
import { createRegistry } from "../../../toolpacks/loaders/registry.ts";
import { toolFor } from "../../kit/tools.ts";
import { checkedCall, grants, refusal } from "./steps.ts";

const registry = createRegistry([toolFor({ name: "artifact_import", run: async () => null })]);
const gateWith = (held: Grants, clock = () => 0) =>
  createGateCall({ grants: () => held, registry, rate: createRateLimit({ clock }) });

test("a scope that names the tool opens it", () => {
  expect(gateWith(grants)(checkedCall()).determinism).toBe("pure");
});

test("a caller whose scopes do not name the tool is refused", () => {
  const call = checkedCall("artifact_import", {}, { context: { scopes: ["read"] } });

  expect(refusal(() => gateWith(grants)(call)).code).toBe("A-AUTH-003");
});

test.each([
  ["a tool that there is not", checkedCall("artifact_imprt")],
  ["a function that the tool does not have", { ...checkedCall(), request: { ...checkedCall().request, fn: "walk" } }],
])("%s is an invalid request that names it", (_name, call) => {
  expect(refusal(() => gateWith(grants)(call))).toMatchObject({
    code: "I-REQ-004",
    details: { tool: call.request.tool_id },
  });
});

test("a caller above its rate is told when to come back, and let in then", () => {
  const limited = Grants.parse({ ...grants, quotas: { default: { rate: "2/s" } } });
  let now = 0;
  const gate = gateWith(limited, () => now);
  gate(checkedCall());
  gate(checkedCall());

  expect(refusal(() => gate(checkedCall())).code).toBe("R-CAP-002");
  now = 500;
  expect(gate(checkedCall()).determinism).toBe("pure");
});
