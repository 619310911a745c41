import { existsSync } from "node:fs";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStore, type Store } from "./kit.ts";

let store: Store;
beforeAll(async () => {
  store = await createStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const pace = async () => undefined;
const verify = (fraction = 1) => store.ledger.verifyBlobs({ blobs: store.blobs, pace, fraction });

async function flip(sha256: string): Promise<void> {
  await chmod(store.pathOf(sha256), 0o644);
  await writeFile(store.pathOf(sha256), "flipped");
}

test("a bad blob is found with its artifact and run, set aside, audited once, and healed by importing it again (A39)", async () => {
  const { sha256, artifactId, runId } = await store.imported("will be flipped");
  const good = await store.imported("stays as it is");
  await flip(sha256);

  const { verified, bad } = await verify();
  const again = await verify();

  expect(verified.count).toBe(2);
  const found = { artifacts: [{ artifact_id: artifactId, project: "default", made_by_run: runId }], sha256 };
  expect(bad).toMatchObject([found]);
  expect(again.bad).toMatchObject([{ ...found, found: "nothing" }]);
  expect(store.hasFile(sha256)).toBe(false);
  expect(existsSync(join(store.folder, "quarantine", sha256))).toBe(true);
  expect(await store.rowOf(good.sha256)).toMatchObject({ quarantined_at: null });
  expect(await store.ledger.findReplay(runId)).toMatchObject({ outputsGone: true });
  const audit = "select run_id, code, artifact_id from audit where event = 'artifact_quarantined'";
  expect(await store.database.rows(audit)).toEqual([{ run_id: runId, code: "D-DATA-001", artifact_id: artifactId }]);

  await store.imported("will be flipped");
  expect(await store.rowOf(sha256)).toMatchObject({ quarantined_at: null });
  expect((await verify()).bad).toEqual([]);
  expect(await store.ledger.findReplay(runId)).toMatchObject({ outputsGone: false });
});

test("a missing file is bad; put back where it was, it is let out of quarantine", async () => {
  const { sha256 } = await store.imported("will be missing");
  await rm(store.pathOf(sha256));
  expect((await verify()).bad).toMatchObject([{ sha256, found: "nothing" }]);

  await writeFile(store.pathOf(sha256), "will be missing");

  expect((await verify()).bad).toEqual([]);
  expect(await store.rowOf(sha256)).toMatchObject({ quarantined_at: null });
});

test("a tree is affected by the bad blob of any of its files", async () => {
  const [file, tree] = [await store.imported("bad file of a tree"), await store.imported("tree with a bad file")];
  await store.database.rows("insert into tree_files (tree_sha256, path, sha256, bytes) values ($1, 'a', $2, 18)", [
    tree.sha256,
    file.sha256,
  ]);
  await flip(file.sha256);

  const { bad } = await verify();

  expect(bad[0]?.artifacts.map(({ artifact_id }) => artifact_id).toSorted()).toEqual(
    [file.artifactId, tree.artifactId].toSorted(),
  );
  await store.imported("bad file of a tree");
});

test("bytes that were brought again between the look and the setting aside are not set aside", async () => {
  const { sha256, staged } = await store.imported("healed in time");
  await flip(sha256);
  const { verified } = await store.blobs.check(sha256, pace);
  await staged.keep();

  const affected = await store.ledger.quarantineBlob({ blobs: store.blobs, sha256, read: { verified } });

  expect(affected).toBeUndefined();
  expect(store.hasFile(sha256)).toBe(true);
  expect(await store.rowOf(sha256)).toMatchObject({ quarantined_at: null });
});

test("a sample verifies a part only", async () => {
  for (let n = 0; n < 40; n++) await store.imported(`sampled ${n}`);

  const { verified } = await verify(0.3);

  expect(verified.count).toBeGreaterThan(0);
  expect(verified.count).toBeLessThan(40);
});

test("the scrub takes what was verified longest ago, a little at a time, at the pace that it is given", async () => {
  const old = await store.imported("verified long ago");
  const older = await store.imported("verified longer ago");
  const age = "update blobs set verified_at = now() - $2 * interval '1 day' where sha256 = $1";
  await store.database.rows(age, [old.sha256, 8]);
  await store.database.rows(age, [older.sha256, 9]);
  const read: number[] = [];
  const scrub = () =>
    store.ledger.scrubBlobs({
      blobs: store.blobs,
      pace: async (bytes) => void read.push(bytes),
      olderThanMs: 7 * 86_400_000,
      maxBytes: 20,
    });

  expect((await scrub()).verified).toEqual({ count: 1, bytes: "verified longer ago".length });
  expect(read).toEqual(["verified longer ago".length]);
  expect((await scrub()).verified).toEqual({ count: 1, bytes: "verified long ago".length });
  expect((await scrub()).verified).toEqual({ count: 0, bytes: 0 });
});
