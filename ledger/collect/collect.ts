import type { RetentionTimes } from "../../toolpacks/contract/retention.ts";
import type { BlobStore } from "../blobs/store.ts";
import type { Db } from "../db.ts";
import { nothing, sumOf, type Amount } from "./amount.ts";
import { condemnable, condemnBlobs } from "./condemn.ts";
import { dropExpiredLeases } from "./expired-leases.ts";
import { orphans, removeOrphans } from "./orphans.ts";
import { sweepable, sweepBlobs } from "./sweep.ts";
import { logsToTombstone, tombstoneLogs } from "./tombstone.ts";

export type Collected = { logs: Amount; condemned: Amount; swept: Amount; orphans: Amount };

export type Collection = {
  blobs: BlobStore;
  retention: RetentionTimes;
  actor: string;
  /** What has been done so far, after each small step. */
  onProgress?(sofar: Collected): void;
  signal?: AbortSignal;
};

/**
 * Removes what has reached its age: logs first, as their blobs are then unreferenced; then blobs are condemned, those
 * whose grace is over removed, and files without a row. Every step is a small transaction of its own; it may be stopped
 * between any two of them, and two may collect at once.
 */
export async function collectGarbage(
  db: Db,
  { blobs, retention, actor, onProgress, signal }: Collection,
): Promise<Collected> {
  const collected: Collected = { logs: nothing, condemned: nothing, swept: nothing, orphans: nothing };
  await dropExpiredLeases(db);
  await add("logs", tombstoneLogs(db, retention));
  await add("condemned", condemnBlobs(db, retention));
  await add("swept", sweepBlobs(db, { blobs, ...retention }));
  await add("orphans", removeOrphans(db, { blobs, ...retention }));
  if (Object.values(collected).some(({ count }) => count > 0)) await db.query(audit, [actor]);
  return collected;

  async function add(kind: keyof Collected, amounts: AsyncIterable<Amount>): Promise<void> {
    for await (const amount of amounts) {
      collected[kind] = sumOf(collected[kind], amount);
      onProgress?.(collected);
      signal?.throwIfAborted();
    }
  }
}

/** What a collection would do at this moment, step by step as things are now: nothing is changed. */
export async function previewCollection(
  db: Db,
  { blobs, retention }: Pick<Collection, "blobs" | "retention">,
): Promise<Collected> {
  return {
    logs: await logsToTombstone(db, retention),
    condemned: await total(condemnable(db, retention)),
    swept: await sweepable(db, retention),
    orphans: await total(orphans(db, { blobs, ...retention })),
  };
}

async function total(amounts: AsyncIterable<{ count?: number; bytes: number }>): Promise<Amount> {
  let sum = nothing;
  for await (const { count = 1, bytes } of amounts) sum = sumOf(sum, { count, bytes });
  return sum;
}

const audit = {
  name: "audit-collection",
  text: "insert into audit (event, project, actor) values ('garbage_collected', '', $1)",
};
