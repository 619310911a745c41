import type { FinalState } from "../toolpacks/contract/states.ts";
import type { Db } from "./db.ts";

export type MadeArtifact = {
  role: string;
  label: string;
  artifactId: string;
  type: string;
  sha256: string;
  bytes: number;
  /** Null where the blob came with the attempt's opening and has its row already. */
  verified: string | null;
};

export type Ending = {
  runId: string;
  attempt: number;
  executionId: string;
  state: FinalState;
  /** Canonical bytes of the tool's output; only with `succeeded`. */
  result: Uint8Array | null;
  /** Canonical bytes of `{code, status, message, details}`; only without. */
  error: Uint8Array | null;
  /** How the calls that wait for this attempt are resolved. */
  call: { status: string; code: string | null };
  outputs: MadeArtifact[];
  /** The files of those outputs that are trees. */
  treeFiles: { treeSha256: string; path: string; sha256: string; bytes: number }[];
};

/**
 * Ends an attempt: outputs, result, state, waiting calls and audit in one statement, and the notification with its
 * commit. The first write wins; false when this execution may not end it (another one does, or it is final).
 * Locks in the order of `open-attempt.ts`: runs, attempts, projects.
 */
export async function finaliseAttempt(db: Db, ending: Ending): Promise<boolean> {
  const rows = await db.query(statement, [
    ending.runId,
    ending.attempt,
    ending.executionId,
    ending.state,
    ending.result,
    ending.error,
    ending.call.status,
    ending.call.code,
    ending.outputs.map((made) => made.role),
    ending.outputs.map((made) => made.label),
    ending.outputs.map((made) => made.artifactId),
    ending.outputs.map((made) => made.type),
    ending.outputs.map((made) => made.sha256),
    ending.outputs.map((made) => made.bytes),
    ending.outputs.map((made) => made.verified),
    ending.treeFiles.map((file) => file.treeSha256),
    ending.treeFiles.map((file) => file.path),
    ending.treeFiles.map((file) => file.sha256),
    ending.treeFiles.map((file) => file.bytes),
  ]);
  return rows.length > 0;
}

// Whoever waits gets the end along with the news, if it fits: a notification may have 8,000 bytes.
const small = `case when octet_length(coalesce($5, $6)) < 7000
  then coalesce(' +' || convert_from($5, 'utf8'), ' -' || convert_from($6, 'utf8')) else '' end)`;

const statement = {
  name: "finalise-attempt",
  text: `
with locked as (select run_id, project, tool from runs where run_id = $1 for update),
ended as (
  update attempts set state = $4, result = $5, error = $6, ended_at = now()
  from locked where attempts.run_id = locked.run_id and attempt = $2 and state = 'running' and execution_id = $3
  returning attempts.run_id, attempt, project, tool),
made as (
  select m.* from ended, unnest($9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::text[])
    with ordinality as m (role, label, artifact_id, type, sha256, bytes, verified, position)),
blob as (
  insert into blobs (sha256, bytes, verified) select distinct on (sha256) sha256, bytes, verified from made where verified is not null
  on conflict (sha256) do update set verified = excluded.verified, verified_at = now(), condemned_at = null, quarantined_at = null),
project as (
  update projects set artifact_seq = artifact_seq + (select count(*) from made) from ended where projects.id = ended.project
  returning artifact_seq),
artifact as (
  insert into artifacts (artifact_id, project, sha256, type, bytes, seq, created_by_run)
  select artifact_id, ended.project, sha256, type, bytes, artifact_seq - (select count(*) from made) + position, ended.run_id
  from made, ended, project
  on conflict (artifact_id) do update
    set tombstoned_at = null, generation = artifacts.generation + 1, seq = excluded.seq, created_at = now(), created_by_run = excluded.created_by_run
    where artifacts.tombstoned_at is not null),
tree_file as (
  insert into tree_files (tree_sha256, path, sha256, bytes)
  select file.* from ended, unnest($16::text[], $17::text[], $18::text[], $19::bigint[]) as file
  on conflict do nothing),
output as (
  insert into run_outputs (run_id, attempt, role, artifact_id, label)
  select run_id, attempt, role, artifact_id, label from made, ended),
run as (
  update runs set replay_attempt = ended.attempt from ended
  where runs.run_id = ended.run_id and replay_attempt is null and $4 = 'succeeded'),
call as (
  update calls set resolved_at = now(), status = $7, code = $8 from ended
  where calls.run_id = ended.run_id and calls.attempt = ended.attempt and resolved_at is null),
lease as (delete from leases using ended where leases.run_id = ended.run_id and leases.attempt = ended.attempt),
audited as (
  insert into audit (event, project, actor, tool, run_id, attempt, code)
  select 'attempt_' || $4, project, 'worker', tool, run_id, attempt, $8 from ended)
select pg_notify('attempt_final', run_id || ' ' || attempt || ${small} from ended`,
};
