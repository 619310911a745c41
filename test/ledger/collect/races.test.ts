import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BlobStore } from "../../../ledger/blobs/store.ts";
import { forbidCollection } from "../../../ledger/collection-lock.ts";
import { createStore, sha256Of, type Store } from "./kit.ts";

let store: Store;
beforeEach(async () => {
  store = await createStore();
});
afterEach(() => store[Symbol.asyncDispose]());

/** The same store, but something happens whenever a collector has taken a file and not yet committed, or is about to take one. */
function interrupted({
  before,
  after,
}: {
  before?(sha256: string): unknown;
  after?(sha256: string): unknown;
}): BlobStore {
  return {
    ...store.blobs,
    async take(sha256, isMeant) {
      await before?.(sha256);
      const take = await store.blobs.take(sha256, isMeant);
      await after?.(sha256);
      return take;
    },
  };
}

const isWaiting = async () =>
  (
    await store.database.rows(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).length > 0;

/** The time in which a file becomes old enough for a collector with this grace. */
const shortGraceMs = 300;
async function untilOld(sha256: string): Promise<void> {
  const age = async () => Date.now() - Number((await store.blobs.find(sha256))?.putAt);
  await expect.poll(age, { interval: 20 }).toBeGreaterThan(shortGraceMs);
}

test("who brings the bytes between the taking of the file and the commit waits for the row, and keeps its own file", async () => {
  const { sha256, stepsAgain } = { ...(await store.condemned("between")), stepsAgain: store.stepsOf("between") };
  let opening: Promise<{ attempt: number }> | undefined;
  const blobs = interrupted({
    after: async () => {
      const kept = await stepsAgain.keep();
      opening = stepsAgain.open([kept]);
      await expect.poll(isWaiting).toBe(true);
    },
  });

  expect(await store.collect({}, blobs)).toMatchObject({ swept: { count: 1 } });

  expect(await opening).toMatchObject({ attempt: 2 });
  expect(store.hasFile(sha256)).toBe(true);
  expect(await store.rowOf(sha256)).toMatchObject({ condemned_at: null });
});

test("who has put its file there before the old one is taken keeps it: the blob is let off", async () => {
  const { sha256 } = await store.condemned("before");
  await untilOld(sha256);
  const again = store.stepsOf("before");
  let opening: Promise<{ attempt: number }> | undefined;
  const blobs = interrupted({
    before: async () => {
      const kept = await again.keep();
      opening = again.open([kept]);
      await expect.poll(isWaiting).toBe(true);
    },
  });

  expect(await store.collect({ graceMs: shortGraceMs }, blobs)).toMatchObject({ swept: { count: 0 } });

  expect(await opening).toMatchObject({ attempt: 2 });
  expect(store.hasFile(sha256)).toBe(true);
  expect(await store.rowOf(sha256)).toMatchObject({ condemned_at: null });
});

test("a file that is put there between the look and the taking goes back", async () => {
  const { sha256 } = await store.condemned("swapped");
  const swapped: BlobStore = {
    ...store.blobs,
    take: (hash, isMeant) =>
      store.blobs.take(hash, (file) => {
        writeFileSync(join(store.folder, "tmp", "fresh"), "swapped");
        renameSync(join(store.folder, "tmp", "fresh"), store.pathOf(hash));
        return isMeant(file);
      }),
  };

  const { swept } = await store.collect({}, swapped);

  expect(swept).toEqual({ count: 0, bytes: 0 });
  expect(store.hasFile(sha256)).toBe(true);
  expect(await store.rowOf(sha256)).toMatchObject({ condemned_at: null });
});

test("of what somebody is making an artifact at that moment nothing is removed", async () => {
  const { sha256, artifactId } = await store.condemned("being linked");
  const other = await store.connect();
  await other.query("begin");
  await other.query("update artifacts set tombstoned_at = null where artifact_id = $1", [artifactId]); // locks the blob by its constraint

  expect(await store.collect()).toMatchObject({ swept: { count: 0 } });
  await other.query("commit");
  await other.end();
  expect(await store.collect()).toMatchObject({ swept: { count: 0 } });

  expect(store.hasFile(sha256)).toBe(true);
  expect(await store.rowOf(sha256)).toMatchObject({ condemned_at: null });
});

test("an artifact cannot be made of a blob that was removed meanwhile", async () => {
  const { artifactId } = await store.condemned("too late to link");
  await store.collect();

  await expect(
    store.database.rows("update artifacts set tombstoned_at = null where artifact_id = $1", [artifactId]),
  ).rejects.toThrow(/foreign key/);
});

test("two collectors share the work: nothing is removed twice, nothing is left", async () => {
  for (let n = 0; n < 120; n++) await store.condemned(`shared work ${n}`);

  const both = await Promise.all([store.collect(), store.collect()]);

  expect(both.map(({ swept }) => swept.count).reduce((a, b) => a + b)).toBe(120);
  expect(await store.database.rows("select 1 from blobs where condemned_at is not null")).toEqual([]);
}, 120_000);

test("while a backup is taken nothing is removed", async () => {
  const { sha256 } = await store.condemned("backed up");
  const orphan = sha256Of("backed up orphan");
  writeFileSync(store.pathOf(orphan), "orphan");
  const backup = await store.connect();
  await forbidCollection(backup);

  expect(await store.collect()).toMatchObject({ swept: { count: 0 }, orphans: { count: 0 } });
  await backup.end();

  await expect.poll(() => store.collect()).toMatchObject({ swept: { count: 1 }, orphans: { count: 1 } });
  expect([sha256, orphan].map(store.hasFile)).toEqual([false, false]);
});

test("who brings the bytes of a file without row while it is claimed waits for the claim, and keeps its own file", async () => {
  const steps = store.stepsOf("claimed");
  await steps.keep();
  let opening: Promise<{ attempt: number }> | undefined;
  const blobs = interrupted({
    after: async () => {
      const kept = await steps.keep();
      opening = steps.open([kept]);
      await expect.poll(isWaiting).toBe(true);
    },
  });

  expect(await store.collect({}, blobs)).toMatchObject({ orphans: { count: 1 } });

  expect(await opening).toMatchObject({ attempt: 1 });
  expect(store.hasFile(steps.sha256)).toBe(true);
});

test("removing an artifact and bringing it again at the same time end in one order or the other, never in a deadlock", async () => {
  const artifacts = await Promise.all(Array.from({ length: 20 }, (_, n) => store.imported(`to and fro ${n}`)));
  const ids = artifacts.map(({ artifactId }) => artifactId);
  await store.ledger.tombstoneArtifacts(ids);

  await Promise.all([
    ...artifacts.map((_, n) => store.imported(`to and fro ${n}`)),
    ...ids.map((id) => store.ledger.tombstoneArtifacts([id])),
    ...ids.map((_, n) => store.ledger.tombstoneArtifacts(ids.slice(n))),
  ]);

  const [{ counted, live } = { counted: "", live: "" }] = await store.database.rows<{ counted: string; live: string }>(
    "select artifact_count as counted, (select count(*) from artifacts where tombstoned_at is null and type <> 'log') as live from projects",
  );
  expect(counted).toBe(live);
});
