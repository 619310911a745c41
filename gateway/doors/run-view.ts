import { z } from "zod";
import type { RunLinks, AttemptView } from "../../ledger/runs.ts";
import { ArtifactId, RunId } from "../../toolpacks/contract/ids.ts";
import { parseJson } from "../../toolpacks/contract/parse-json.ts";
import type { JsonObject } from "../../toolpacks/contract/json.ts";

/** A run as its latest attempt shows it: identity, state, links, and how it ended. */
export const RunView = z.strictObject({
  run_id: RunId,
  tool: z.string(),
  tool_version: z.string(),
  contract_version: z.string(),
  digest: z.string(),
  policy_hash: z.string(),
  params_hash: z.string(),
  attempt: z.int(),
  state: z.enum(["queued", "running", "succeeded", "failed", "cancelled"]),
  cancel_requested: z.boolean(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  inputs: z.array(z.strictObject({ role: z.string(), artifact_id: ArtifactId })),
  outputs: z.array(z.strictObject({ role: z.string(), artifact_id: ArtifactId, label: z.string() })),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

export function runViewOf(run: AttemptView, { inputs, outputs }: RunLinks): JsonObject {
  return {
    run_id: run.runId,
    tool: run.tool,
    tool_version: run.toolVersion,
    contract_version: run.contractVersion,
    digest: run.digest,
    policy_hash: run.policyHash,
    params_hash: run.paramsHash,
    attempt: run.attempt,
    state: run.state,
    cancel_requested: run.cancelRequested,
    created_at: run.createdAt.toISOString(),
    started_at: run.admittedAt?.toISOString() ?? null,
    ended_at: run.endedAt?.toISOString() ?? null,
    inputs,
    outputs,
    ...(run.result && { result: parseJson(run.result) }),
    ...(run.error && { error: parseJson(run.error) }),
  };
}
