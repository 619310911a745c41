import type { BlobStore, Checked } from "../blobs/store.ts";
import type { Db } from "../db.ts";

export type AffectedArtifact = { artifact_id: string; project: string; made_by_run: string };

/**
 * Sets a blob aside that was found bad: its file goes to quarantine, where nobody reads it, and its row says so. Only
 * the very file that was read is meant: if somebody has brought the bytes again meanwhile, nothing happens, and the
 * answer is undefined. Else it is the artifacts that cannot be had any more.
 */
export async function quarantineBlob(
  db: Db,
  { blobs, sha256, read }: { blobs: Pick<BlobStore, "take">; sha256: string; read: Pick<Checked, "verified"> },
): Promise<AffectedArtifact[] | undefined> {
  return db.transaction(async (session) => {
    const known = await session.query("select from blobs where sha256 = $1 for update", [sha256]);
    if (known.rowCount === 0) return undefined;
    const take = await blobs.take(sha256, ({ verified }) => verified === read.verified);
    if (take.kind === "changed") return undefined;
    if (take.kind === "taken") await take.quarantine();
    return (await session.query<AffectedArtifact>({ ...setAside, values: [sha256] })).rows;
  });
}

// A tree is affected by the blob of any of its files. Found bad once more, it is not audited again.
const setAside = {
  name: "quarantine-blob",
  text: `
with affected as (
  select artifact_id, project, created_by_run from artifacts where live_sha256 = $1
  union
  select a.artifact_id, a.project, a.created_by_run from tree_files t join artifacts a on a.live_sha256 = t.tree_sha256 where t.sha256 = $1),
bad as (select quarantined_at is null as is_new from blobs where sha256 = $1),
marked as (
  update blobs set quarantined_at = coalesce(quarantined_at, now()), verified = '' where sha256 = $1),
audited as (
  insert into audit (event, project, actor, run_id, code, artifact_id)
  select 'artifact_quarantined', project, 'integrity', created_by_run, 'D-DATA-001', artifact_id from affected, bad where is_new)
select artifact_id, project, created_by_run as made_by_run from affected order by artifact_id`,
};
