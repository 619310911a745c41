/**
 * SQL: whether nothing holds on to the blob `b`: no live artifact, no lease, no tree that stays, and no open attempt by
 * an input that was removed after it was opened.
 */
export const unreferenced = `(
  not exists (select from artifacts a where a.live_sha256 = b.sha256)
  and not exists (select from leases l where l.sha256 = b.sha256)
  and not exists (
    select from tree_files t join blobs tree on tree.sha256 = t.tree_sha256 where t.sha256 = b.sha256 and tree.condemned_at is null)
  and not exists (
    select from artifacts a join run_inputs i using (artifact_id) join attempts o using (run_id)
    where a.sha256 = b.sha256 and a.tombstoned_at is not null and o.state in ('queued', 'running')))`;
