import { expect, test } from "vitest";
import type { KeyedCall } from "../../../gateway/admission/find-key.ts";
import { createResolve } from "../../../gateway/admission/resolve.ts";
import { Policy } from "../../../toolpacks/contract/policy.ts";
import { fingerprintOf } from "../../../toolpacks/contract/fingerprint.ts";
import { createRegistry } from "../../../toolpacks/loaders/registry.ts";
import { toolFor } from "../../kit/tools.ts";
import { checkedCall, refusal } from "./steps.ts";

const versions = ["1.0.0", "1.4.2", "2.0.0", "2.1.0-rc.1"];
const registry = createRegistry(
  versions.map((version) => toolFor({ name: "test_tool", version, run: async () => null })),
);
const policyOf = (tools: object) => Policy.parse({ version: 1, tools });

function keyedCall(version: string): KeyedCall {
  const call = checkedCall("test_tool", {}, { version });
  const fingerprint = fingerprintOf({ toolId: "test_tool", fn: "run", input: {}, versionRange: version });
  return { ...call, determinism: "pure", fingerprint, key: null };
}

const resolveUnder = (tools: object) => createResolve({ registry, policy: () => policyOf(tools) });

test.each([
  ["*", "2.0.0"],
  ["1.0.0", "1.0.0"],
  ["^1", "1.4.2"],
  [">=1.1 <2", "1.4.2"],
  ["2.1.0-rc.1", "2.1.0-rc.1"],
])("the range %s is exactly the build %s (C49)", (range, version) => {
  expect(resolveUnder({ allow: ["*"] })(keyedCall(range)).tool.version).toBe(version);
});

test.each(["^3", "1.0.1", "latest", ">=2.1"])(
  "the range %s, which no build satisfies, is refused with the versions there are (C49)",
  (range) => {
    expect(refusal(() => resolveUnder({ allow: ["*"] })(keyedCall(range)))).toMatchObject({
      code: "I-REQ-005",
      details: { range, available: versions },
    });
  },
);

test.each([
  ["is not in the allowlist", { allow: ["artifact_*"] }],
  ["is denied by name", { allow: ["*"], deny: ["test_*"] }],
  ["is allowed in other versions only", { allow: ["*"], versions: { test_tool: ">=3" } }],
])("a tool that %s is refused before anything is read for it (A18)", (_name, tools) => {
  expect(refusal(() => resolveUnder(tools)(keyedCall("*"))).code).toBe("A-AUTH-004");
});
