import { afterAll, beforeAll, expect, test } from "vitest";
import { postToolCall } from "../../../cli/mcp-post.ts";
import { createStack, type TestStack } from "../../kit/stack.ts";
import { openPolicy, toolFor } from "../../kit/tools.ts";

let stack: TestStack;
const unknown = `run_${"a".repeat(52)}`;

beforeAll(async () => {
  const runs = toolFor({ name: "test_runs", run: async ({ params }) => params });
  const failing = toolFor({ name: "test_failing", run: async () => Promise.reject(new Error("as told")) });
  stack = await createStack({ policy: openPolicy, tools: [runs, failing], worker: false, windowMs: 100 });
});
afterAll(() => stack[Symbol.asyncDispose]());

const viaMcp = (name: string, input: unknown) =>
  postToolCall(
    { mcpUrl: "http://127.0.0.1/mcp", token: stack.token, fetch: (url, init) => stack.fetch(new Request(url, init)) },
    { name, arguments: input },
  );

test("a run that no worker has taken is shown as queued, waited for as pending, and ends when it is carried out (A8)", async () => {
  const { run_id } = await stack.call("test_runs", { name: "seen" });

  const shown = await viaMcp("run_get", { run_id });
  const waited = await viaMcp("run_wait", { run_id, wait_s: 0.2 });
  const waiting = viaMcp("run_wait", { run_id, wait_s: 20 });
  await stack.startWorker();
  const seen = await waiting;
  await stack.stopWorker();

  expect(shown).toMatchObject({
    status: "success",
    output: { run_id, state: "queued", attempt: 1, tool: "test_runs", contract_version: "v1" },
  });
  expect(waited).toMatchObject({ status: "pending", state: "queued" });
  expect(seen).toMatchObject({
    status: "success",
    output: { run_id, state: "succeeded", result: { name: "seen" }, outputs: [{ role: "log" }] },
  });
});

test("a queued run is cancelled at once; asked again it is a new attempt", async () => {
  const { run_id, call_id } = await stack.call("test_runs", { name: "cancelled" });

  const cancelled = await viaMcp("run_cancel", { run_id });
  const again = await viaMcp("run_cancel", { run_id });

  expect(cancelled).toMatchObject({
    status: "success",
    output: { state: "cancelled", error: { code: "P-PRECOND-009" } },
  });
  expect(again).toMatchObject({
    status: "terminal_error",
    error: { code: "P-PRECOND-005", details: { state: "cancelled" } },
  });
  const [call] = await stack.database.rows("select status, code from calls where call_id = $1", [call_id]);
  expect(call).toEqual({ status: "terminal_error", code: "P-PRECOND-009" });
  await stack.startWorker();
  const asked = await stack.call("test_runs", { name: "cancelled" });
  const end = await viaMcp("run_wait", { run_id });
  await stack.stopWorker();
  expect(asked.run_id).toBe(run_id);
  expect(end).toMatchObject({ output: { state: "succeeded", attempt: 2 } });
});

test("a run that was asked to end while it ran ends as cancelled", async () => {
  const { run_id } = await stack.call("test_runs", { name: "cancelled while running" });
  await stack.database.rows("update attempts set cancel_requested_at = now() where run_id = $1", [run_id]);

  await stack.startWorker();
  const end = await viaMcp("run_wait", { run_id });
  await stack.stopWorker();

  expect(end).toMatchObject({ output: { state: "cancelled", error: { code: "P-PRECOND-009" } } });
});

test("a failed run shows its error, with a log", async () => {
  await stack.startWorker();
  const { run_id } = await stack.call("test_failing", {});
  const shown = await viaMcp("run_wait", { run_id });
  await stack.stopWorker();

  expect(shown).toMatchObject({
    status: "success",
    output: { state: "failed", error: { code: "S-TOOL-INTERNAL" }, outputs: [{ role: "log" }] },
  });
});

test.each(["run_get", "run_wait", "run_cancel"])(
  "%s of a run that there is not, and of one in another project, give the same answer",
  async (door) => {
    const foreign = await stack.call("test_runs", { name: "foreign" }, { project: "lab-a" });

    const answers = await Promise.all([unknown, foreign.run_id].map((run_id) => viaMcp(door, { run_id })));

    expect(answers.map((answer) => "error" in answer && answer.error.code)).toEqual(["P-PRECOND-012", "P-PRECOND-012"]);
  },
);

test("a door refuses a wrong input with all its violations (C48)", async () => {
  const answer = await viaMcp("run_wait", { run_id: "run_5", wait_s: 900, more: 1 });

  expect(answer).toMatchObject({ status: "invalid_request", error: { code: "I-REQ-001" } });
  expect("error" in answer && answer.error.details["violations"]).toHaveLength(3);
});

test("a cancel is audited with who asked for it (A6)", async () => {
  const { run_id } = await stack.call("test_runs", { name: "audited" });

  await viaMcp("run_cancel", { run_id });

  expect(await stack.database.rows("select event, actor from audit where run_id = $1 order by seq", [run_id])).toEqual([
    { event: "attempt_opened", actor: "local" },
    { event: "cancel_requested", actor: "local" },
  ]);
});
