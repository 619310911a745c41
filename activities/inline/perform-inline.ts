import { activityInfo } from "@temporalio/activity";
import type { Ledger } from "../../ledger/ledger.ts";
import type { BlobStore } from "../../ledger/blobs/store.ts";
import type { AttemptEnd } from "../../toolpacks/contract/attempt-end.ts";
import type { RunId } from "../../toolpacks/contract/ids.ts";
import type { ToolDefinition } from "../../toolpacks/contract/tool-definition.ts";
import { finalise } from "../finalise.ts";
import { refusalAtBoundary } from "../refusal-at-boundary.ts";
import { createRunLog } from "../run-log.ts";
import { runTool } from "./run-tool.ts";

export type InlineDeps = {
  ledger: Pick<
    Ledger,
    | "admitAttempt"
    | "endOfAttempt"
    | "finaliseAttempt"
    | "findArtifact"
    | "findArtifacts"
    | "listArtifacts"
    | "markVerified"
    | "quarantineBlob"
  >;
  blobs: BlobStore;
  /** The tools that this worker can carry out: the newest build of each. */
  tools: { resolve(name: string, version: string): ToolDefinition };
  onFault(fault: unknown): void;
};

/** Takes an attempt, carries it out and ends it. May be repeated at any point: the ledger takes only the first end. */
export function createPerformInline(deps: InlineDeps) {
  return async function performInline(runId: RunId, attempt: number): Promise<AttemptEnd> {
    const executionId = executionIdOf();
    const admitted = await deps.ledger.admitAttempt({ runId, attempt, executionId });
    if (!admitted) return storedEnd(deps, { runId, attempt });

    const log = createRunLog();
    log.line(`${runId}, attempt ${attempt}: admitted ${admitted.tool} ${admitted.toolVersion}`); // no two runs share a log
    const refusal = refusalAtBoundary(admitted, deps.tools);
    const outcome = refusal ? { ok: false as const, error: refusal } : await runTool(deps, { runId, admitted, log });
    return finalise(deps, { runId, attempt, executionId, project: admitted.project, outcome, log });
  };
}

async function storedEnd(
  { ledger }: Pick<InlineDeps, "ledger">,
  attempt: { runId: RunId; attempt: number },
): Promise<AttemptEnd> {
  const end = await ledger.endOfAttempt(attempt);
  if (!end) return { state: "taken_by_another" };
  return end.code === null ? { state: end.state } : { state: end.state, code: end.code };
}

function executionIdOf(): string {
  const { workflowExecution } = activityInfo();
  if (!workflowExecution) throw new Error("an attempt is carried out by a workflow only");
  return workflowExecution.runId;
}
