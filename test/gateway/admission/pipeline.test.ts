import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CallResponse, PendingResponse } from "../../../toolpacks/contract/envelope.ts";
import { createStack, type TestStack } from "../../kit/stack.ts";
import { requestOf } from "../../kit/request.ts";
import { toolFor } from "../../kit/tools.ts";

const policy = `
version: 1
tools: { allow: ["*"], deny: [test_denied] }
import_roots: [{ name: inbox, path: "data:inbox" }]
`;
const grants = `
version: 1
local: { actor: local, scopes: ["tools:*"], project: default }
scopes:
  "tools:*": { tools: ["*"], doors: ["*"] }
  narrow: { tools: [artifact_get] }
`;
let stack: TestStack;

beforeAll(async () => {
  const denied = toolFor({ name: "test_denied", run: async () => null });
  const broken = toolFor({
    name: "test_broken",
    run: async () => {
      throw new Error("a fault with /a/path/of/ours in it");
    },
  });
  const hiding = toolFor({
    name: "test_hiding",
    run: async () => null,
    canonicalize: () => ({ canonicalParams: { big: 10n, missing: undefined } as never }),
  });
  const wrongPlan = toolFor({
    name: "test_wrong_plan",
    run: async () => null,
    canonicalize: () => ({ plan: { kind: "inline" } as never }),
  });
  const slow = toolFor({
    name: "test_slow",
    run: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(null))),
  });
  stack = await createStack({ policy, grants, tools: [denied, broken, hiding, wrongPlan, slow], windowMs });
});
afterAll(() => stack[Symbol.asyncDispose]());
/** Long enough for a first run on a busy machine, short enough to wait for. */
const windowMs = 5_000;

const tables = ["runs", "attempts", "artifacts", "blobs", "leases", "param_sets", "idempotency_keys"];
async function sizes(): Promise<unknown> {
  return stack.database.rows(
    `select ${tables.map((table) => `(select count(*) from ${table}) as ${table}`).join(", ")}`,
  );
}

describe("every call is answered with one envelope of a known shape (C39, C43, C44, C45)", () => {
  test.each([
    ["success", "artifact_import", { content: "enveloped" }],
    ["invalid_request", "artifact_import", { content: 5 }],
    ["terminal_error", "test_denied", {}],
    ["terminal_error", "test_broken", {}],
  ])("%s of %s", async (status, tool, input) => {
    const answer = await stack.call(tool, input);

    expect(CallResponse.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({ status, provenance: { tool_id: tool }, metrics: { cpu_ms: 0, memory_peak_mb: 0 } });
    expect("output" in answer).toBe(status === "success");
    expect("error" in answer).toBe(status !== "success");
  });

  test("provenance names the exact build (C42)", async () => {
    const answer = await stack.call("artifact_import", { content: "built" }, { version: "^1" });

    expect(answer.provenance).toMatchObject({ tool_version: "1.0.0", digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test("an answer that is not there yet says so, with its run and the next step", async () => {
    const answer = await stack.call("test_slow", { name: "late" }, { timeoutMs: 6 * windowMs });

    expect(PendingResponse.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({
      status: "pending",
      state: "running",
      next: expect.stringContaining(String(answer.run_id)),
    });
  });

  test("a deadline that comes first is the caller's answer, with the run that goes on (C43)", async () => {
    const answer = await stack.call("test_slow", { name: "later" }, { timeoutMs: 3_000, deadlineInMs: 300 });

    expect(answer).toMatchObject({
      status: "retryable_error",
      error: { code: "R-TIMEOUT-001", details: { retry_after_ms: 1_000 } },
    });
    expect(answer.run_id).not.toBeNull();
    const [call] = await stack.database.rows("select status, code from calls where call_id = $1", [answer.call_id]);
    expect(call).toEqual({ status: "retryable_error", code: "R-TIMEOUT-001" });
  });
});

describe("a refused call", () => {
  test("that policy denies leaves its call row and an audit row, nothing else (A18, A6)", async () => {
    const before = await sizes();

    const answer = await stack.call("test_denied", {});

    expect(answer).toMatchObject({
      status: "terminal_error",
      run_id: null,
      error: { code: "A-AUTH-004", details: { reasons: [{ rule: "tools.deny: test_denied" }] } },
    });
    expect(await sizes()).toEqual(before);
    expect(
      await stack.database.rows("select status, code, run_id from calls where call_id = $1", [answer.call_id]),
    ).toEqual([{ status: "terminal_error", code: "A-AUTH-004", run_id: null }]);
    expect(
      await stack.database.rows("select event, actor, tool, code from audit where call_id = $1", [answer.call_id]),
    ).toEqual([{ event: "call_refused", actor: "local", tool: "test_denied", code: "A-AUTH-004" }]);
  });

  test("with a wrong envelope changes nothing and still gets an id to speak of (C46)", async () => {
    const before = await sizes();

    const answer = await stack.send({ tool_id: "artifact_import", input: {} });

    expect(answer).toMatchObject({ status: "invalid_request", error: { code: "I-REQ-002" } });
    expect(answer.call_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await sizes()).toEqual(before);
  });

  test("of an actor without the scope names the rule", async () => {
    const answer = await stack.send(requestOf("artifact_import", { content: "x" }), { scopes: ["narrow"] });

    expect(answer).toMatchObject({
      error: { code: "A-AUTH-003", details: { reasons: [{ rule: expect.stringContaining("artifact_import") }] } },
    });
  });

  test("has an error with a message, a fix and the trace to ask about (C44, C92)", async () => {
    const answer = await stack.call("test_denied", {});

    expect(answer).toMatchObject({
      error: {
        message: expect.stringMatching(/\S/),
        details: { fix: expect.stringMatching(/\S/), trace_id: answer.provenance.trace_id },
      },
    });
  });
});

test("a fault of ours is told by an id, never by a stack trace or a path", async () => {
  const answer = await stack.call("test_broken", {});

  expect(answer).toMatchObject({ error: { code: "S-TOOL-INTERNAL", details: { correlation_id: expect.any(String) } } });
  expect(JSON.stringify(answer)).not.toContain("/a/path");
  expect(stack.faults).toContainEqual(
    expect.objectContaining({ error: expect.objectContaining({ message: expect.stringContaining("/a/path") }) }),
  );
});

test("canonical params that are not plain JSON are the tool's fault, all of them named (T16)", async () => {
  const answer = await stack.call("test_hiding", {});

  expect(answer).toMatchObject({
    error: {
      code: "C-CONTRACT-005",
      details: { violations: [{ pointer: "/params/big" }, { pointer: "/params/missing" }] },
    },
  });
});

test("a plan of a wrong shape is the tool's fault", async () => {
  expect(await stack.call("test_wrong_plan", {})).toMatchObject({ error: { code: "C-CONTRACT-005" } });
});

test("a constraint that has no effect is said, not silently ignored", async () => {
  const request = requestOf("artifact_import", { content: "warned" }, { key: "0123456789abcdef" });
  const answer = await stack.send({
    ...request,
    constraints: {
      ...request.constraints,
      memory_mb_limit: 64,
      net_allowlist: [],
      retry_policy: { max_attempts: 2, base_ms: 1, cap_ms: 1, jitter: "none" },
    },
  });

  expect(answer).toMatchObject({
    status: "success",
    warnings: [/memory/, /net_/, /retry/, /idempotency/].map((word) => expect.stringMatching(word)),
  });
});

test("a policy that is activated later decides the next call and makes another run of the same question (A9, A10)", async () => {
  const before = await stack.call("artifact_import", { content: "under two policies" });
  await writeFile(join(stack.dataDir, "deployment", "policy.yaml"), policy.replace("test_denied", "test_other"));

  const { changed } = await stack.activate();
  const after = await stack.call("artifact_import", { content: "under two policies" });
  const denied = await stack.call("test_denied", {});

  expect(changed).toBe(true);
  expect(after.run_id).not.toBe(before.run_id);
  expect(denied.status).toBe("success");
});

test("a policy file that is wrong changes nothing", async () => {
  await writeFile(join(stack.dataDir, "deployment", "policy.yaml"), "version: 1\ntols: {}\n");

  await expect(stack.activate()).rejects.toThrow(/tols/);

  expect((await stack.call("artifact_import", { content: "still served" })).status).toBe("success");
});
