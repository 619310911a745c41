import { z } from "zod";
import type { ReceiptRows } from "../../ledger/receipts.ts";
import type { AttemptView, RunLinks } from "../../ledger/runs.ts";
import { ArtifactId, RunId } from "../../toolpacks/contract/ids.ts";
import type { JsonObject } from "../../toolpacks/contract/json.ts";
import { parseJson } from "../../toolpacks/contract/parse-json.ts";
import { paramsOf } from "../../toolpacks/contract/run-id.ts";
import { finalStates, openStates } from "../../toolpacks/contract/states.ts";

const State = z.enum([...openStates, ...finalStates]);
const Time = z.iso.datetime();

/** A run's receipt: what was asked and by whom, under which policy and build, what came of it, and how long it took (A38). */
export const RunView = z.strictObject({
  run_id: RunId,
  tool: z.string(),
  tool_version: z.string(),
  contract_version: z.string(),
  digest: z.string(),
  policy_hash: z.string(),
  params_hash: z.string(),
  params: z.record(z.string(), z.unknown()),
  attempt: z.int(),
  state: State,
  cancel_requested: z.boolean(),
  created_at: Time,
  started_at: Time.nullable(),
  ended_at: Time.nullable(),
  queued_ms: z.int().nullable(),
  running_ms: z.int().nullable(),
  inputs: z.array(z.strictObject({ role: z.string(), artifact_id: ArtifactId })),
  outputs: z.array(z.strictObject({ role: z.string(), artifact_id: ArtifactId, label: z.string() })),
  attempts: z.array(
    z.strictObject({
      attempt: z.int(),
      state: State,
      opened_by: z.string(),
      created_at: Time,
      started_at: Time.nullable(),
      ended_at: Time.nullable(),
      code: z.string().nullable(),
    }),
  ),
  calls: z.strictObject({
    total: z.int(),
    replayed: z.int(),
    actors: z.array(z.string()),
    first_at: Time.nullable(),
    last_at: Time.nullable(),
  }),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

export function runViewOf(run: AttemptView, { inputs, outputs }: RunLinks, receipt: ReceiptRows): JsonObject {
  return {
    run_id: run.runId,
    tool: run.tool,
    tool_version: run.toolVersion,
    contract_version: run.contractVersion,
    digest: run.digest,
    policy_hash: run.policyHash,
    params_hash: run.paramsHash,
    params: paramsOf(receipt.params),
    attempt: run.attempt,
    state: run.state,
    cancel_requested: run.cancelRequested,
    created_at: run.createdAt.toISOString(),
    started_at: run.admittedAt?.toISOString() ?? null,
    ended_at: run.endedAt?.toISOString() ?? null,
    queued_ms: between(run.createdAt, run.admittedAt),
    running_ms: between(run.admittedAt, run.endedAt),
    inputs,
    outputs,
    attempts: receipt.attempts,
    calls: receipt.calls,
    ...(run.result && { result: parseJson(run.result) }),
    ...(run.error && { error: parseJson(run.error) }),
  };
}

function between(from: Date | null, to: Date | null): number | null {
  return from && to ? to.getTime() - from.getTime() : null;
}
