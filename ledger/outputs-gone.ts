/**
 * SQL: whether an output of this attempt can no longer be had: its artifact was removed, or its blob is quarantined.
 * The log does not count: a run whose log has reached its age still replays.
 */
export function outputsGone(runId: string, attempt: string): string {
  return `exists (
    select from run_outputs o join artifacts a using (artifact_id) left join blobs b using (sha256)
    where o.run_id = ${runId} and o.attempt = ${attempt} and o.role <> 'log'
      and (a.tombstoned_at is not null or b.quarantined_at is not null))`;
}
