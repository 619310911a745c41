import { afterEach, beforeEach, expect, test } from "vitest";
import type { BlobStore } from "../../../ledger/blobs/store.ts";
import { forbidCollection } from "../../../ledger/collection-lock.ts";
import { isLedgerAway } from "../../../ledger/db.ts";
import { createStore, type Store } from "./kit.ts";

let store: Store;
beforeEach(async () => {
  store = await createStore();
});
afterEach(() => store[Symbol.asyncDispose]());

test("a collector whose connection breaks before the commit leaves row and file", async () => {
  const { sha256 } = await store.condemned("broken connection");
  const blobs: BlobStore = {
    ...store.blobs,
    async take(hash, isMeant) {
      const take = await store.blobs.take(hash, isMeant);
      await store.database.rows(breakAll);
      return take;
    },
  };

  await expect(store.collect({}, blobs)).rejects.toSatisfy(isLedgerAway);

  expect(store.hasFile(sha256)).toBe(true);
  expect(await store.rowOf(sha256)).toMatchObject({ condemned_at: expect.any(Date) });
  await store.collect();
  expect(store.hasFile(sha256)).toBe(false);
});

test("until a collector whose connection broke has put its files back no backup begins", async () => {
  const { sha256 } = await store.condemned("broken in its rows");
  const backup = await store.connect();
  const seen: boolean[] = [];
  const blobs: BlobStore = {
    ...store.blobs,
    async take(hash, isMeant) {
      const take = await store.blobs.take(hash, isMeant);
      if (take.kind !== "taken") return take;
      await store.database.rows(breakRows);
      const putBack = async () => {
        await backup.query("set lock_timeout = '100ms'");
        seen.push(
          await forbidCollection(backup).then(
            () => true,
            () => false,
          ),
        );
        await take.putBack();
      };
      return { ...take, putBack };
    },
  };

  await expect(store.collect({}, blobs)).rejects.toSatisfy(isLedgerAway);

  expect(seen).toEqual([false]);
  expect(store.hasFile(sha256)).toBe(true);
  await backup.query("set lock_timeout = '10s'");
  await forbidCollection(backup);
  await backup.end();
});
const breakAll = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and state = 'idle in transaction'`;
/** Ends the session that has deleted rows, not the one that holds the lock. */
const breakRows = `${breakAll} and pid not in (select pid from pg_locks where locktype = 'advisory')`;

test("files go back while their rows are still locked, if one of them cannot be taken", async () => {
  const [first, second] = [await store.condemned("can be taken"), await store.condemned("cannot be taken")];
  const before = new Map<string, boolean>();
  let takes = 0;
  const blobs: BlobStore = {
    ...store.blobs,
    async take(hash, isMeant) {
      if (++takes === 2) throw new Error("the disk does not answer");
      const take = await store.blobs.take(hash, isMeant);
      const putBack = async () => {
        before.set(hash, await isLocked(hash));
        await (take.kind === "taken" && take.putBack());
      };
      return { ...take, putBack };
    },
  };

  await expect(store.collect({}, blobs)).rejects.toThrow("the disk does not answer");

  expect([...before.values()]).toEqual([true]);
  expect([first, second].map(({ sha256 }) => store.hasFile(sha256))).toEqual([true, true]);
});
const isLocked = async (sha256: string) =>
  (await store.database.rows("select from blobs where sha256 = $1 for update skip locked", [sha256])).length === 0;
