import { setTimeout as pause } from "node:timers/promises";
import {
  Client,
  Connection,
  WorkflowNotFoundError,
  type WorkflowHandleWithFirstExecutionRunId,
} from "@temporalio/client";
import { dataConverter } from "./data-converter.ts";
import { HelixPlanKind, HelixProject, HelixTool } from "./search-attributes.ts";

/** An attempt to be carried out; `executionBefore` is the execution of the attempt before it. */
export type StartedAttempt = {
  runId: string;
  attempt: number;
  planKind: string;
  tool: string;
  projectOpaque: string;
  executionBefore: string | null;
};

/** All that gateway and reconciler may ask of the engine. */
export type EngineDoor = {
  /** Starts the attempt's execution, or finds it started already. */
  start(attempt: StartedAttempt): Promise<void>;
  isOpen(runId: string, executionId: string): Promise<boolean>;
  terminate(runId: string, executionId: string, reason: string): Promise<void>;
  close(): Promise<void>;
};

const patienceWithClosingMs = 5_000;

export function createEngineDoor({ address, taskQueue }: { address: string; taskQueue: string }): EngineDoor {
  const connection = Connection.lazy({ address });
  const { workflow } = new Client({ connection, dataConverter });
  const startOrJoin = (attempt: StartedAttempt) => workflow.start("run", { taskQueue, ...startOptionsOf(attempt) });
  return {
    start: (attempt) => startBehind(attempt, startOrJoin),
    async isOpen(runId, executionId) {
      try {
        return (await workflow.getHandle(runId, executionId).describe()).status.name === "RUNNING";
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
    async terminate(runId, executionId, reason) {
      try {
        await workflow.getHandle(runId, executionId).terminate(reason);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error; // closed or absent: as wished
      }
    },
    close: () => connection.close(),
  };
}

/**
 * What an operator searches by costs the server a quarter of a run (measured): the ordinary is left unsaid. A first
 * attempt has no memo, and a run in the worker itself, by far the most frequent, no plan kind.
 */
function startOptionsOf({ runId, attempt, planKind, tool, projectOpaque }: StartedAttempt) {
  return {
    workflowId: runId,
    args: [runId, attempt, planKind],
    workflowIdReusePolicy: "ALLOW_DUPLICATE" as const, // the ledger decides whether to run, not the engine
    workflowIdConflictPolicy: "USE_EXISTING" as const,
    workflowTaskTimeout: "5s" as const,
    ...(attempt > 1 && { memo: { attempt } }),
    staticSummary: `${tool}, attempt ${attempt}`,
    typedSearchAttributes: [
      { key: HelixTool, value: tool },
      { key: HelixProject, value: projectOpaque },
      ...(planKind === "inline" ? [] : [{ key: HelixPlanKind, value: planKind }]),
    ],
  };
}

/**
 * The execution of the attempt before writes its end to the ledger some milliseconds before it closes; a start in
 * between would join that dying execution and be lost (verified: 6 of 20). So: start again until it has closed.
 */
async function startBehind(
  attempt: StartedAttempt,
  startOrJoin: (attempt: StartedAttempt) => Promise<WorkflowHandleWithFirstExecutionRunId>,
): Promise<void> {
  const until = performance.now() + patienceWithClosingMs;
  for (let turn = 0; performance.now() < until; turn++) {
    const handle = await startOrJoin(attempt);
    if (handle.firstExecutionRunId !== attempt.executionBefore && (await isOf(attempt, handle))) return;
    await pause(5 + turn);
  }
}

/**
 * An attempt that was cancelled before any execution took it has none on record, yet its execution may be under way:
 * there only the memo tells whose it is. (Verified: 1 of 8 repeats joined the cancelled one, and waited for the reconciler.)
 */
async function isOf(
  { attempt, executionBefore }: StartedAttempt,
  handle: WorkflowHandleWithFirstExecutionRunId,
): Promise<boolean> {
  if (attempt === 1 || executionBefore !== null) return true;
  return (await handle.describe()).memo?.["attempt"] === attempt;
}
