import { expect, test } from "vitest";
import { requestOf } from "../../kit/request.ts";
import { caller, checkEnvelope, refusal } from "./steps.ts";

const good = () => requestOf("artifact_get", { artifact_id: "x" });

test("a complete envelope passes as it is (C34, C35, C36, C37)", () => {
  const request = {
    ...good(),
    context: { ...good().context, scopes: ["read"], parent_span_id: "00f067aa0ba902b7", locale: "en", clock: "wall" },
    constraints: {
      ...good().constraints,
      idempotency_key: "0123456789abcdef",
      memory_mb_limit: 16,
      net_allowlist: ["https://example.org"],
      retry_policy: { max_attempts: 3, base_ms: 100, cap_ms: 1_000, jitter: "full" },
    },
  };

  expect(checkEnvelope(caller, request).request).toEqual(request);
});

test("a wrong envelope is refused with all of its violations at once (C46, C48)", () => {
  const { code, details } = refusal(() =>
    checkEnvelope(caller, {
      ...good(),
      call_id: "not a uuid",
      tool_id: "Not A Tool",
      surprise: 1,
      context: { ...good().context, env: "moon", trace_id: 7 },
      constraints: {
        timeout_ms: 0,
        deadline_unix_ms: -1,
        retry_policy: { max_attempts: 0, base_ms: 1, cap_ms: 1, jitter: "some" },
      },
    }),
  );

  expect(code).toBe("I-REQ-002");
  expect(details["violations"]).toEqual(
    expect.arrayContaining(
      [
        "/call_id",
        "/tool_id",
        "/surprise",
        "/context/env",
        "/context/trace_id",
        "/constraints/timeout_ms",
        "/constraints/deadline_unix_ms",
        "/constraints/retry_policy/max_attempts",
        "/constraints/retry_policy/jitter",
      ].map((pointer) => expect.objectContaining({ pointer })),
    ),
  );
});

test.each(["call_id", "tool_id", "tool_version", "fn", "input", "context", "constraints"])(
  "an envelope without %s is refused (C46)",
  (member) => {
    const { [member]: _, ...rest }: Record<string, unknown> = good();

    const { details } = refusal(() => checkEnvelope(caller, rest));

    expect(details["violations"]).toEqual([expect.objectContaining({ pointer: `/${member}` })]);
  },
);

test.each([
  ["not an object", 5],
  ["nothing", undefined],
])("%s is no envelope", (_name, raw) => {
  expect(refusal(() => checkEnvelope(caller, raw)).code).toBe("I-REQ-002");
});

test.each([
  ["another actor", { context: { actor_id: "somebody" } }, "A-AUTH-003"],
  ["scopes that the token does not have", { context: { scopes: ["operate"] } }, "A-AUTH-003"],
  ["another environment", { context: { env: "prod" as const } }, "P-PRECOND-008"],
  ["a deadline that has passed", { deadlineInMs: -1 }, "R-TIMEOUT-001"],
])("a call for %s is refused before anything is done", (_name, ask, code) => {
  expect(refusal(() => checkEnvelope(caller, requestOf("artifact_get", {}, ask))).code).toBe(code);
});

test("scopes in the envelope narrow what the token grants", () => {
  const checked = checkEnvelope(caller, requestOf("artifact_get", {}, { context: { scopes: ["read"] } }));

  expect(checked.caller.scopes).toEqual(["read"]);
});
