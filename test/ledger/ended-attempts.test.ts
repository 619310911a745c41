import { afterAll, beforeAll, expect, test } from "vitest";
import { createEndedAttempts, type EndedAttempts } from "../../ledger/ended-attempts.ts";
import { createStack, type TestStack } from "../kit/stack.ts";
import { openPolicy, toolFor } from "../kit/tools.ts";

const echo = toolFor({ name: "echo", run: async ({ params }) => params });
let stack: TestStack;
let ended: EndedAttempts;

beforeAll(async () => {
  stack = await createStack({ tools: [echo], policy: openPolicy });
  ended = createEndedAttempts({ url: stack.database.url });
});
afterAll(async () => {
  await ended.close();
  await stack[Symbol.asyncDispose]();
});

test.each([
  ["short", "a"],
  ["longer than a notification may be", "a".repeat(9_000)],
  ["short with what JSON and SQL escape", "'\"\\\n\u{1F9EC} +"],
])("whoever waits is told how the attempt ended: a result that is %s", async (_, text) => {
  await stack.stopWorker();
  const asked = stack.call("echo", { text });
  const [opened] = await expect.poll(openAttempts).toHaveLength(1).then(openAttempts);
  const told = ended.wait({ runId: String(opened?.run_id), attempt: 1 }, 20_000);
  await stack.startWorker();

  expect(JSON.parse((await told)?.result ?? "null")).toEqual({ text });
  expect(await asked).toMatchObject({ status: "success", output: { text } });
});

test("who has waited long enough is told nothing", async () => {
  expect(await ended.wait({ runId: "run_of_nobody", attempt: 1 }, 20)).toBeUndefined();
});

const openAttempts = () =>
  stack.database.rows<{ run_id: string }>("select run_id from attempts where state in ('queued', 'running')");
