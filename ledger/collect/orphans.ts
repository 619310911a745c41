import type { BlobStore } from "../blobs/store.ts";
import { mayCollect } from "../collection-lock.ts";
import type { Db } from "../db.ts";
import type { Amount } from "./amount.ts";

type Order = { blobs: Pick<BlobStore, "list" | "find" | "take">; graceMs: number };
type Orphan = { sha256: string; bytes: number };

/**
 * Removes files that have no row: a process died between putting them there and writing of them. Each is claimed by a
 * row of its own first, so that whoever brings the same bytes at that moment waits until the claim is gone.
 */
export async function* removeOrphans(db: Db, { blobs, graceMs }: Order): AsyncGenerator<Amount> {
  const old = new Date(Date.now() - graceMs);
  for await (const orphan of orphans(db, { blobs, graceMs }))
    if (await removed(db, blobs, orphan, old)) yield { count: 1, bytes: orphan.bytes };
}

/** Old files without a row. */
export async function* orphans(db: Db, { blobs, graceMs }: Omit<Order, "take">): AsyncGenerator<Orphan> {
  const old = new Date(Date.now() - graceMs);
  for await (const some of blobs.list()) {
    for (const { sha256 } of await db.query<{ sha256: string }>(unknown, [some])) {
      const file = await blobs.find(sha256);
      if (file && file.putAt < old) yield { sha256, bytes: file.bytes };
    }
  }
}

async function removed(db: Db, blobs: Order["blobs"], { sha256, bytes }: Orphan, old: Date): Promise<boolean> {
  return db.transaction(async (session) => {
    if (!(await mayCollect(session))) return false;
    const claimed = await session.query({ ...claim, values: [sha256, bytes] });
    if (claimed.rowCount === 0) return false;
    const take = await blobs.take(sha256, (file) => file.putAt < old);
    if (take.kind === "taken") await take.discard(); // no row has ever named it: there is nothing to take back
    await session.query("delete from blobs where sha256 = $1", [sha256]);
    return take.kind === "taken";
  });
}

const unknown = {
  name: "files-without-row",
  text: "select sha256 from unnest($1::text[]) as file (sha256) where not exists (select from blobs b where b.sha256 = file.sha256)",
};

const claim = {
  name: "claim-orphan",
  text: "insert into blobs (sha256, bytes, verified) values ($1, $2, '') on conflict do nothing",
};
