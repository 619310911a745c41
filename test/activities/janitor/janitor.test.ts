import { chmod, utimes, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runJanitor } from "../../../activities/janitor/janitor.ts";
import { createTurn } from "../../../ledger/turn.ts";
import { createStore, sha256Of, type Store } from "../../ledger/collect/kit.ts";

let store: Store;
beforeAll(async () => {
  store = await createStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const often = { everyMs: 20, collectEveryMs: 20 };
const longAgo = new Date(0);

test("collects by the active grants and verifies what is due, until it is told to stop (A39)", async () => {
  const bad = await store.imported("bad, and not looked at for long");
  await chmod(store.pathOf(bad.sha256), 0o644);
  await writeFile(store.pathOf(bad.sha256), "flipped");
  await store.database.rows("update blobs set verified_at = now() - interval '8 days'");
  const orphan = sha256Of("orphan");
  await writeFile(store.pathOf(orphan), "orphan");
  await utimes(store.pathOf(orphan), longAgo, longAgo);
  const young = sha256Of("young");
  await writeFile(store.pathOf(young), "young");
  const stop = new AbortController();
  const faults: unknown[] = [];
  const turn = createTurn({ url: store.database.url, of: "janitor" });

  const cleaning = runJanitor({ ...store, turn, onFault: (fault) => void faults.push(fault) }, stop.signal, often);
  await expect.poll(() => store.hasFile(orphan)).toBe(false);
  await expect.poll(() => store.rowOf(bad.sha256)).toMatchObject({ quarantined_at: expect.any(Date) });
  stop.abort();
  await cleaning;
  await turn.close();

  expect(faults).toEqual([]);
  expect(store.hasFile(young)).toBe(true);
});

test("one janitor at a time: the other waits for its turn, and is told of faults without ending", async () => {
  const [first, second] = [0, 1].map(() => createTurn({ url: store.database.url, of: "janitor" }));
  const reconciler = createTurn({ url: store.database.url, of: "reconciler" });

  expect(await first?.isOurs()).toBe(true);
  expect(await second?.isOurs()).toBe(false);
  expect(await reconciler.isOurs()).toBe(true);
  await first?.close();
  await expect.poll(() => second?.isOurs()).toBe(true);
  await Promise.all([second?.close(), reconciler.close()]);

  const stop = new AbortController();
  const faults: unknown[] = [];
  const brokenTurn = { isOurs: () => Promise.reject(new Error("away")), close: async () => undefined };
  const cleaning = runJanitor({ ...store, turn: brokenTurn, onFault: (f) => void faults.push(f) }, stop.signal, often);
  await expect.poll(() => faults.length).toBeGreaterThan(1);
  stop.abort();
  await cleaning;
});
