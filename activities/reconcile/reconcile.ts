import type { OpenAttempt } from "../../ledger/attempts.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { EngineDoor } from "../../temporal/client-door.ts";
import { outcomeOf } from "../../toolpacks/contract/errors.ts";
import { errorBytesOf } from "../../toolpacks/contract/stored-error.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";

export type ReconcileDeps = {
  ledger: Pick<Ledger, "attemptsToCheck" | "releaseAttempt" | "finaliseAttempt" | "resolveLateJoiners">;
  engine: Pick<EngineDoor, "start" | "isOpen" | "terminate">;
};

/**
 * Looks at the open attempts whose turn it is, and drives on those that nobody carries out: because the engine was
 * away when they were opened, lost its memory, or was told by somebody else. Nothing stays open for ever.
 */
export async function reconcile(
  { ledger, engine }: ReconcileDeps,
  due: { everyMs: number; engineBackAt: Date },
): Promise<void> {
  for (const attempt of await ledger.attemptsToCheck(due)) {
    if (attempt.overdue) await endOverdue({ ledger, engine }, attempt);
    else if (await isAbandoned({ ledger, engine }, attempt)) await engine.start(attempt);
  }
  await ledger.resolveLateJoiners();
}

/** Queued attempts are started, again if need be; a running one only if its execution is gone and we could take it away. */
async function isAbandoned(
  { ledger, engine }: ReconcileDeps,
  { runId, attempt, executionId }: OpenAttempt,
): Promise<boolean> {
  if (executionId === null) return true;
  if (await engine.isOpen(runId, executionId)) return false;
  return ledger.releaseAttempt({ runId, attempt, executionId });
}

/** A minute past its deadline, an execution that is still open has lost its way: it is ended from outside. */
async function endOverdue({ ledger, engine }: ReconcileDeps, attempt: OpenAttempt): Promise<void> {
  const { runId, executionId } = attempt;
  if (executionId === null) return engine.start(attempt); // who takes it sees that it is too late, and ends it
  const error = new ToolError("R-TIMEOUT-001");
  await engine.terminate(runId, executionId, "past its deadline");
  await ledger.finaliseAttempt({
    runId,
    attempt: attempt.attempt,
    executionId,
    state: "failed",
    result: null,
    error: errorBytesOf(error),
    call: { status: outcomeOf(error.code), code: error.code },
    outputs: [],
    treeFiles: [],
  });
}
