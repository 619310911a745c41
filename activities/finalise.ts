import { keepAgainIfTaken } from "../ledger/blobs/keep-again.ts";
import type { BlobStore, StagedBlob } from "../ledger/blobs/store.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { artifactIdOf } from "../toolpacks/contract/artifact-id.ts";
import type { AttemptEnd } from "../toolpacks/contract/attempt-end.ts";
import { canonicalBytes } from "../toolpacks/contract/canonical-json.ts";
import { errorBytesOf } from "../toolpacks/contract/stored-error.ts";
import { outcomeOf } from "../toolpacks/contract/errors.ts";
import { ArtifactType, ProjectId, Role, type ArtifactId, type RunId, type Sha256 } from "../toolpacks/contract/ids.ts";
import type { Json } from "../toolpacks/contract/json.ts";
import type { DeclaredOutput } from "../toolpacks/contract/plan.ts";
import type { FinalState } from "../toolpacks/contract/states.ts";
import type { ToolError } from "../toolpacks/contract/tool-error.ts";
import type { TreeFile } from "../toolpacks/contract/tree.ts";
import type { RunLog } from "./run-log.ts";

/** An output that a run has linked; its blob is in the store. Only a tree has files. */
export type Linked = DeclaredOutput & {
  artifactId: ArtifactId;
  sha256: Sha256;
  bytes: number;
  verified: string | null;
  files: TreeFile[];
  /** What the run itself has put into the store. */
  staged?: StagedBlob;
};

export type ToolOutcome = { ok: true; result: Json; made: Linked[] } | { ok: false; error: ToolError };

type Deps = { ledger: Pick<Ledger, "endOfAttempt" | "finaliseAttempt">; blobs: BlobStore };
type Attempt = {
  runId: RunId;
  attempt: number;
  executionId: string;
  project: string;
  outcome: ToolOutcome;
  log: RunLog;
};

/** Every way out: the log becomes an artifact, then one transaction ends the attempt. What is returned is what is stored. */
export async function finalise(deps: Deps, attempt: Attempt): Promise<AttemptEnd> {
  const { runId, executionId, outcome } = attempt;
  const state = stateOf(outcome);
  const log = await storeLog(deps.blobs, attempt, state);
  const end: AttemptEnd = outcome.ok ? { state } : { state, code: outcome.error.code };
  const made = outcome.ok ? outcome.made : [];
  const won = await deps.ledger.finaliseAttempt({
    runId,
    attempt: attempt.attempt,
    executionId,
    state,
    result: outcome.ok ? canonicalBytes(outcome.result) : null,
    error: outcome.ok ? null : errorBytesOf(outcome.error),
    call: outcome.ok
      ? { status: "success", code: null }
      : { status: outcomeOf(outcome.error.code), code: outcome.error.code },
    outputs: [...made, log],
    treeFiles: made.flatMap(({ sha256, files }) => files.map((file) => ({ ...file, treeSha256: sha256 }))),
  });
  await keepAgainIfTaken(
    deps.blobs,
    [...made, log].flatMap(({ staged }) => staged ?? []),
  );
  if (won) return end;
  const stored = await deps.ledger.endOfAttempt({ runId, attempt: attempt.attempt });
  return stored
    ? { state: stored.state, ...(stored.code !== null && { code: stored.code }) }
    : { state: "taken_by_another" };
}

function stateOf(outcome: ToolOutcome): FinalState {
  if (outcome.ok) return "succeeded";
  return outcome.error.code === "P-PRECOND-009" ? "cancelled" : "failed";
}

async function storeLog(blobs: BlobStore, { project, outcome, log }: Attempt, state: FinalState) {
  log.line(outcome.ok ? `ended: ${state}` : `ended: ${state}, ${outcome.error.code} ${outcome.error.message}`);
  const staged = blobs.stageBytes(log.bytes());
  const blob = await staged.keep();
  const type = ArtifactType.parse("log");
  const artifactId = artifactIdOf({ project: ProjectId.parse(project), sha256: blob.sha256, type });
  return { ...blob, role: Role.parse("log"), label: "log", type, artifactId, staged };
}
