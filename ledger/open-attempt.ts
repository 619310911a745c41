import type { RunId, Sha256 } from "../toolpacks/contract/ids.ts";
import { callColumns, callValues, type CallRow } from "./calls.ts";
import type { Db } from "./db.ts";
import { outputsGone } from "./outputs-gone.ts";

/** All that one transaction writes before anything is started. */
export type Opening = {
  call: CallRow;
  run: {
    runId: RunId;
    tool: string;
    contractVersion: string;
    toolVersion: string;
    digest: Sha256;
    policyHash: Sha256;
    paramsHash: Sha256;
    params: Uint8Array;
    planKind: string;
    inputs: { role: string; artifactId: string }[];
  };
  workOrder: Uint8Array;
  deadline: Date;
  blobs: { sha256: Sha256; bytes: number; verified: string }[];
};

export type Opened = { attempt: number; projectOpaque: string; executionBefore: string | null };

/**
 * Opens the next attempt of a run. Undefined when there is nothing to open: an attempt is open already, or the run has
 * succeeded meanwhile; the caller then looks again. `key_taken`: the idempotency key stands for another run.
 *
 * Locks are taken in the order runs, attempts, projects, as `finalise-attempt.ts` does. The lock on the run makes a
 * success that was committed after this statement's snapshot visible: without it two identical calls could run twice.
 */
export async function openAttempt(db: Db, opening: Opening): Promise<Opened | "key_taken" | undefined> {
  const { call, run } = opening;
  const [row] = await db.query<Opened | { attempt: null }>(statement, [
    ...callValues(call),
    run.contractVersion,
    run.toolVersion,
    run.digest,
    run.policyHash,
    run.paramsHash,
    run.params,
    run.planKind,
    run.inputs.map((input) => input.role),
    run.inputs.map((input) => input.artifactId),
    opening.workOrder,
    opening.deadline,
    opening.blobs.map((blob) => blob.sha256),
    opening.blobs.map((blob) => blob.bytes),
    opening.blobs.map((blob) => blob.verified),
  ]);
  return row?.attempt === null ? "key_taken" : row;
}

const statement = {
  name: "open-attempt",
  text: `
with locked as (select replay_attempt from runs where run_id = $8 for update),
gone as (select from locked where replay_attempt is not null and ${outputsGone("$8", "replay_attempt")}),
key as (
  insert into idempotency_keys (project, actor, tool, fn, key, fingerprint, run_id)
  select $1, $3, $4, $5, $7, $6, $8 where $7::text is not null
  on conflict (project, actor, tool, fn, key) do update set key = excluded.key
    where idempotency_keys.run_id = excluded.run_id
  returning 1),
attempt as (
  insert into attempts (run_id, attempt, opened_by, work_order, deadline)
  select $8, coalesce(max(attempt), 0) + 1, $3, $21, $22 from attempts where run_id = $8
  having (not exists (select from locked where replay_attempt is not null) or exists (select from gone)) and ($7::text is null or exists (select from key))
  on conflict do nothing
  returning attempt),
project as (
  insert into projects (id, run_seq) select $1, 1 from attempt
  on conflict (id) do update set run_seq = projects.run_seq + 1
  returning opaque, run_seq),
params as (insert into param_sets (hash, bytes) select $16, $17 from attempt on conflict do nothing),
run as (
  insert into runs (run_id, project, tool, contract_version, tool_version, digest, policy_hash, params_hash, plan_kind, run_seq, latest_attempt)
  select $8, $1, $4, $12, $13, $14, $15, $16, $18, project.run_seq, attempt.attempt from attempt, project
  on conflict (run_id) do update set latest_attempt = excluded.latest_attempt, replay_attempt = null),
inputs as (
  insert into run_inputs (run_id, role, artifact_id)
  select $8, link.role, link.artifact_id from attempt, unnest($19::text[], $20::text[]) as link (role, artifact_id)
  on conflict do nothing),
blob as (
  insert into blobs (sha256, bytes, verified)
  select b.* from attempt, unnest($23::text[], $24::bigint[], $25::text[]) as b
  on conflict (sha256) do update set verified = excluded.verified, verified_at = now(), condemned_at = null, quarantined_at = null),
lease as (
  insert into leases (sha256, run_id, attempt, until)
  select sha256, $8, attempt.attempt, $22 from attempt, unnest($23::text[]) as sha256),
call as (insert into calls ${callColumns} select ${callSelect()} from attempt on conflict do nothing),
audited as (
  insert into audit (event, project, actor, call_id, tool, run_id, attempt)
  select 'attempt_opened', $1, $3, $2, $4, $8, attempt from attempt)
select attempt.attempt, project.opaque as "projectOpaque",
  (select execution_id from attempts before where before.run_id = $8 and before.attempt = attempt.attempt - 1) as "executionBefore"
from attempt, project
union all
select null, null, null where $7::text is not null and not exists (select from key)`,
};

function callSelect(): string {
  return "$1, $2::uuid, $3, $4, $5, $6, $7, $8, attempt, $9::timestamptz, $10::uuid, $11::timestamptz";
}
