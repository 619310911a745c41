import type { Session } from "./db.ts";

/** The blob-collection lock: collectors share it among themselves, a backup has it alone. */
const blobCollectionLock = 7_241_803;

/**
 * From now until this session ends no blob is collected; returns when the collections under way have been committed.
 * Taken before a backup's snapshot: every blob that the snapshot names then stays until its file has been kept, too.
 */
export async function forbidCollection(session: Session): Promise<void> {
  await session.query("select pg_advisory_lock($1)", [blobCollectionLock]);
}

/**
 * Whether this transaction may collect. Asked first in each transaction that removes a blob's row and file; a yes holds
 * until its commit. No: a backup is being taken, come again later.
 */
export async function mayCollect(transaction: Session): Promise<boolean> {
  const { rows } = await transaction.query<{ ours: boolean }>("select pg_try_advisory_xact_lock_shared($1) as ours", [
    blobCollectionLock,
  ]);
  return rows[0]?.ours === true;
}
