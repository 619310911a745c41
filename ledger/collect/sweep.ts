import type { BlobStore, TakenFile } from "../blobs/store.ts";
import { mayCollect } from "../collection-lock.ts";
import type { Db, Session } from "../db.ts";
import { amountOf, nothing, type Amount } from "./amount.ts";
import { unreferenced } from "./unreferenced.ts";

const batchSize = 50;

type Order = { blobs: Pick<BlobStore, "take">; graceMs: number };
type Doomed = { sha256: string; bytes: number };

/**
 * Removes condemned blobs whose grace is over, some at a time. Row deleted, file taken, commit: whoever brings the same
 * bytes meanwhile has put its own file there and waits for the row, so it finds either the old row or none.
 */
export async function* sweepBlobs(db: Db, order: Order): AsyncGenerator<Amount> {
  for (;;) {
    const swept = await sweepSome(db, order);
    if (!swept) return;
    yield swept;
  }
}

/** What `sweepBlobs` would remove now. */
export async function sweepable(db: Db, { graceMs }: { graceMs: number }): Promise<Amount> {
  return (await db.query<Amount>(count, [graceMs]))[0] ?? nothing;
}

/** Undefined when there is nothing left to remove, or a backup forbids it. */
async function sweepSome(db: Db, order: Order): Promise<Amount | undefined> {
  // The lock is another session's than the rows': should theirs break, no backup looks before each file is back.
  return db.transaction(async (lock) => ((await mayCollect(lock)) ? sweepLocked(db, order) : undefined));
}

async function sweepLocked(db: Db, order: Order): Promise<Amount | undefined> {
  const taken: TakenFile[] = [];
  try {
    const doomed = await orPutBack(taken, () =>
      db.transaction((session) => orPutBack(taken, () => removeSome(session, order, taken))),
    );
    await Promise.all(taken.map((file) => file.discard()));
    return doomed && amountOf(doomed);
  } catch (error) {
    if (isReferenced(error)) return nothing;
    throw error;
  }
}

/**
 * Whatever fails, the files go back: within the transaction, while the rows are still locked and nobody misses a file;
 * around it too, as a commit may fail. (If it was done all the same, they are files without a row: collected later.)
 */
async function orPutBack<T>(taken: TakenFile[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await Promise.all(taken.splice(0).map((file) => file.putBack()));
    throw error;
  }
}

/** Deletes rows and takes their files. If one of these was put there just now, it lets all of them off, and that one for good. */
async function removeSome(
  session: Session,
  { blobs, graceMs }: Order,
  taken: TakenFile[],
): Promise<Doomed[] | undefined> {
  const old = new Date(Date.now() - graceMs);
  const fresh: string[] = [];
  await session.query("savepoint untouched");
  const doomed = (await session.query<Doomed>({ ...remove, values: [graceMs] })).rows;
  for (const { sha256 } of doomed) {
    const take = await blobs.take(sha256, (file) => file.putAt < old);
    if (take.kind === "taken") taken.push(take);
    if (take.kind === "changed") fresh.push(sha256);
  }
  if (fresh.length === 0) return doomed.length > 0 ? doomed : undefined;
  await Promise.all(taken.splice(0).map((file) => file.putBack()));
  await session.query("rollback to untouched");
  await session.query("update blobs set condemned_at = null where sha256 = any($1)", [fresh]);
  return [];
}

// A foreign key says that an artifact was made of the blob after this statement's snapshot: it stays, and is seen next time.
const isReferenced = (error: unknown) => error instanceof Error && "code" in error && error.code === "23503";

// The files of a tree go after it: its rows name them.
const isOver = `b.condemned_at < now() - $1 * interval '1 ms' and ${unreferenced}`;

const remove = {
  name: "sweep-blobs",
  text: `
with doomed as materialized (
  select b.sha256 from blobs b
  where ${isOver} and not exists (select from tree_files t where t.sha256 = b.sha256)
  order by b.condemned_at limit ${batchSize} for update skip locked)
delete from blobs using doomed where blobs.sha256 = doomed.sha256 returning blobs.sha256, blobs.bytes`,
};

const count = {
  name: "count-sweepable",
  text: `select count(*), coalesce(sum(bytes), 0)::bigint as bytes from blobs b where ${isOver}`,
};
