import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createLedger, type Ledger } from "../../../ledger/ledger.ts";
import { reconcile } from "../../../activities/reconcile/reconcile.ts";
import { createEngineDoor, type EngineDoor } from "../../../temporal/client-door.ts";
import { createStack, type TestStack } from "../../kit/stack.ts";
import { openPolicy, toolFor } from "../../kit/tools.ts";

let stack: TestStack;
let ledger: Ledger;
let engine: EngineDoor;
let temporal: Client;

beforeAll(async () => {
  const runs = toolFor({ name: "test_runs", run: async ({ params }) => params });
  stack = await createStack({ policy: openPolicy, tools: [runs], worker: false, windowMs: 200 });
  ledger = createLedger({ url: stack.database.url });
  engine = createEngineDoor({ address: inject("temporalAddress"), taskQueue: stack.taskQueue });
  temporal = new Client({ connection: await Connection.connect({ address: inject("temporalAddress") }) });
});
afterAll(async () => {
  await temporal.connection.close();
  await Promise.all([ledger.close(), engine.close()]);
  await stack[Symbol.asyncDispose]();
});

const everything = { everyMs: 2_000, engineBackAt: new Date(Date.now() + 3_600_000) };
const stateOf = async (runId: string | null) =>
  (await stack.database.rows("select state, execution_id from attempts where run_id = $1", [runId]))[0];

/** An attempt that was opened while no worker was there. */
async function opened(name: string): Promise<string> {
  const { run_id, status } = await stack.call("test_runs", { name });
  expect(status).toBe("pending");
  return String(run_id);
}

async function ended(runId: string): Promise<void> {
  await expect.poll(() => stateOf(runId), { timeout: 15_000 }).toMatchObject({ state: "succeeded" });
}

test("a queued attempt that the engine has lost is started again, and ends", async () => {
  const runId = await opened("lost while queued");
  await temporal.workflow.getHandle(runId).terminate();

  await reconcile({ ledger, engine }, everything);

  const { status } = await temporal.workflow.getHandle(runId).describe();
  expect(status.name).toBe("RUNNING");
  await stack.startWorker();
  await ended(runId);
  await stack.stopWorker();
});

test("a running attempt whose execution is gone is taken away from it, started again, and ends", async () => {
  const runId = await opened("lost while running");
  await temporal.workflow.getHandle(runId).terminate();
  await stack.database.rows("update attempts set state = 'running', execution_id = $2 where run_id = $1", [
    runId,
    randomUUID(),
  ]);

  await reconcile({ ledger, engine }, everything);

  expect(await stateOf(runId)).toEqual({ state: "queued", execution_id: null });
  await stack.startWorker();
  await ended(runId);
  await stack.stopWorker();
});

test("a running attempt whose execution is open is left alone", async () => {
  const runId = await opened("under way");
  const { runId: executionId } = await temporal.workflow.getHandle(runId).describe();
  await stack.database.rows("update attempts set state = 'running', execution_id = $2 where run_id = $1", [
    runId,
    executionId,
  ]);

  await reconcile({ ledger, engine }, everything);

  expect(await stateOf(runId)).toEqual({ state: "running", execution_id: executionId });
});

test("an execution that is long past its attempt's deadline is ended from outside: nothing stays running for ever", async () => {
  const runId = await opened("astray");
  const { runId: executionId } = await temporal.workflow.getHandle(runId).describe();
  await stack.database.rows(
    "update attempts set state = 'running', execution_id = $2, deadline = now() - interval '2 minutes' where run_id = $1",
    [runId, executionId],
  );

  await reconcile({ ledger, engine }, everything);

  expect(await stateOf(runId)).toMatchObject({ state: "failed" });
  expect((await temporal.workflow.getHandle(runId).describe()).status.name).toBe("TERMINATED");
});

test("a queued attempt whose deadline has passed is ended by whoever takes it", async () => {
  const runId = await opened("too late");
  await stack.database.rows("update attempts set deadline = now() - interval '2 minutes' where run_id = $1", [runId]);

  await reconcile({ ledger, engine }, everything);
  await stack.startWorker();

  await expect.poll(() => stateOf(runId), { timeout: 15_000 }).toMatchObject({ state: "failed" });
  await stack.stopWorker();
});

test("a young attempt is looked at after two seconds, an old one seldom, and all of them when the engine is back", async () => {
  const runId = await opened("when to look");
  const due = async (engineBackAt: Date) =>
    (await ledger.attemptsToCheck({ everyMs: 2_000, engineBackAt })).map((attempt) => attempt.runId);
  const longAgo = new Date(0);
  const looked = (seconds: number, age: number) =>
    stack.database.rows(
      "update attempts set checked_at = now() - $2 * interval '1 s', created_at = now() - $3 * interval '1 s' where run_id = $1",
      [runId, seconds, age],
    );

  await looked(1, 1);
  expect(await due(longAgo)).not.toContain(runId);
  await looked(3, 3);
  expect(await due(longAgo)).toContain(runId);
  await looked(30, 3_600);
  expect(await due(longAgo)).not.toContain(runId);
  await looked(61, 3_600);
  expect(await due(longAgo)).toContain(runId);
  expect(await due(new Date(Date.now() + 60_000))).toContain(runId);
});

test("a call that joined too late to be resolved with its attempt is resolved", async () => {
  const { call_id } = await stack.call("artifact_import", { content: "resolved late" });
  await stack.startWorker();
  await expect
    .poll(() => stack.database.rows("select status from calls where call_id = $1", [call_id]))
    .toEqual([{ status: "success" }]);
  await stack.stopWorker();
  await stack.database.rows("update calls set resolved_at = null, status = null where call_id = $1", [call_id]);

  await reconcile({ ledger, engine }, everything);

  expect(await stack.database.rows("select status from calls where call_id = $1", [call_id])).toEqual([
    { status: "success" },
  ]);
});
