import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { atOnce, createStore, sha256Of, type Store } from "./kit.ts";

let store: Store;
beforeAll(async () => {
  store = await createStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const later = { graceMs: 3_600_000 };

test("what a live artifact refers to is never condemned", async () => {
  const { sha256 } = await store.imported("wanted");

  await store.collect();

  expect(await store.rowOf(sha256)).toEqual({ condemned_at: null, quarantined_at: null });
  expect(store.hasFile(sha256)).toBe(true);
});

test("the blob of a removed artifact is condemned, and after its grace row and file are gone; the artifact's row and its run stay", async () => {
  const { sha256, artifactId, runId } = await store.imported("removed");
  await store.ledger.tombstoneArtifacts([artifactId]);

  expect(await store.collect(later)).toMatchObject({ condemned: { count: 1, bytes: 7 }, swept: { count: 0 } });
  expect(await store.rowOf(sha256)).toMatchObject({ condemned_at: expect.any(Date) });
  expect(await store.collect(later)).toMatchObject({ condemned: { count: 0 }, swept: { count: 0 } });
  expect(await store.collect()).toMatchObject({ condemned: { count: 0 }, swept: { count: 1, bytes: 7 } });

  expect(await store.rowOf(sha256)).toBeUndefined();
  expect(store.hasFile(sha256)).toBe(false);
  expect(await store.ledger.findArtifact({ project: "default", artifactId })).toBeUndefined();
  expect(await store.ledger.findReplay(runId)).toMatchObject({ outputsGone: true });
});

test("a blob stays for as long as retention says after the last artifact of it was removed", async () => {
  const { sha256, artifactId } = await store.imported("kept a while");
  await store.database.rows("update blobs set stored_at = now() - interval '1 year' where sha256 = $1", [sha256]);
  await store.ledger.tombstoneArtifacts([artifactId]);

  await store.collect({ unreferencedMs: 60_000 });
  expect(await store.rowOf(sha256)).toMatchObject({ condemned_at: null });
  await store.database.rows(
    "update artifacts set tombstoned_at = now() - interval '2 minutes' where artifact_id = $1",
    [artifactId],
  );
  await store.collect({ unreferencedMs: 60_000, ...later });
  expect(await store.rowOf(sha256)).toMatchObject({ condemned_at: expect.any(Date) });
});

test("a blob that is brought again is let off, and has its whole grace when it is forgotten once more", async () => {
  const first = await store.imported("forgotten twice");
  await store.ledger.tombstoneArtifacts([first.artifactId]);
  await store.collect(later);
  const again = await store.imported("forgotten twice");

  expect(again.opened.attempt).toBe(2);
  expect(await store.rowOf(first.sha256)).toMatchObject({ condemned_at: null });
  await store.collect();
  expect(store.hasFile(first.sha256)).toBe(true);
  const [revived] = await store.database.rows(
    "select generation, tombstoned_at from artifacts where artifact_id = $1",
    [first.artifactId],
  );
  expect(revived).toEqual({ generation: 2, tombstoned_at: null });
});

test("an attempt that is open holds on to what it brought, and to inputs that were removed after it was opened", async () => {
  const input = await store.imported("input of an open attempt");
  const open = store.stepsOf("brought by an open attempt");
  await open.open([await open.keep()]);
  await store.database.rows("insert into run_inputs (run_id, role, artifact_id) values ($1, 'in', $2)", [
    open.runId,
    input.artifactId,
  ]);
  await store.ledger.tombstoneArtifacts([input.artifactId]);

  await store.collect();

  expect([open.sha256, input.sha256].map(store.hasFile)).toEqual([true, true]);
  await store.database.rows("update attempts set state = 'failed', ended_at = now() where run_id = $1", [open.runId]);
  await store.database.rows("update leases set until = now() - interval '1 s' where run_id = $1", [open.runId]);
  await store.collect();
  expect([open.sha256, input.sha256].map(store.hasFile)).toEqual([false, false]);
  expect(await store.database.rows("select 1 from leases where run_id = $1", [open.runId])).toEqual([]);
});

test("the files of a tree stay while the tree does, and go after it", async () => {
  const [file, tree] = [await store.imported("a file of a tree"), await store.imported("the manifest of a tree")];
  await store.database.rows("insert into tree_files (tree_sha256, path, sha256, bytes) values ($1, 'a', $2, 16)", [
    tree.sha256,
    file.sha256,
  ]);
  await store.ledger.tombstoneArtifacts([file.artifactId]);
  await store.collect();
  expect(store.hasFile(file.sha256)).toBe(true);

  await store.ledger.tombstoneArtifacts([tree.artifactId]);
  await store.collect();
  await store.collect();

  expect([file.sha256, tree.sha256].map(store.hasFile)).toEqual([false, false]);
});

test("an old file without a row is removed, a young one is left alone", async () => {
  const orphans = [sha256Of("orphan"), sha256Of("another orphan")];
  for (const sha256 of orphans) {
    await mkdir(dirname(store.pathOf(sha256)), { recursive: true });
    await writeFile(store.pathOf(sha256), "orphan");
  }

  expect(await store.collect(later)).toMatchObject({ orphans: { count: 0 } });
  expect(orphans.map(store.hasFile)).toEqual([true, true]);
  expect(await store.collect()).toMatchObject({ orphans: { count: 2, bytes: 12 } });
  expect(orphans.map(store.hasFile)).toEqual([false, false]);
  expect(await store.rowOf(orphans[0] ?? "")).toBeUndefined();
});

test("logs that have reached their age are tombstoned, and their runs replay as before; an import of type log stays", async () => {
  const { runId } = await store.imported("has a log");
  const log = await store.imported("the log");
  const imported = await store.imported("a log that somebody imported");
  await store.database.rows(
    "update artifacts set type = 'log', created_at = now() - interval '91 days' where artifact_id = any($1)",
    [[log.artifactId, imported.artifactId]],
  );
  await store.database.rows("update run_outputs set role = 'log' where artifact_id = $1", [log.artifactId]);
  await store.database.rows(
    "insert into run_outputs (run_id, attempt, role, artifact_id, label) values ($1, 1, 'log', $2, 'log')",
    [runId, log.artifactId],
  );

  const { logs } = await store.collect({ logsMs: 90 * 86_400_000 });

  expect(logs).toEqual({ count: 1, bytes: 7 });
  expect(store.hasFile(log.sha256)).toBe(false);
  expect(store.hasFile(imported.sha256)).toBe(true);
  expect(await store.ledger.findReplay(runId)).toMatchObject({ outputsGone: false });
});

test("a preview counts what a collection would do, and changes nothing", async () => {
  const { artifactId, sha256 } = await store.imported("previewed");
  const condemned = await store.imported("previewed, condemned");
  await store.ledger.tombstoneArtifacts([condemned.artifactId]);
  await store.collect(later);
  await store.ledger.tombstoneArtifacts([artifactId]);
  await writeFile(store.pathOf(sha256Of("previewed orphan")), "orphan");

  const preview = await store.ledger.previewCollection({ blobs: store.blobs, retention: atOnce });

  expect(preview).toMatchObject({ condemned: { count: 1, bytes: 9 }, orphans: { count: 1, bytes: 6 } });
  expect(preview.swept.count).toBeGreaterThanOrEqual(1);
  expect(store.hasFile(sha256)).toBe(true);
  expect(await store.rowOf(sha256)).toMatchObject({ condemned_at: null });
});

test("a project's count and weight follow what is imported, removed and brought again", async () => {
  const before = await weight();
  const { artifactId } = await store.imported("weighed");
  expect(await weight()).toEqual({ count: before.count + 1, bytes: before.bytes + 7 });
  await store.ledger.tombstoneArtifacts([artifactId, artifactId]);
  expect(await weight()).toEqual(before);
  await store.imported("weighed");
  expect(await weight()).toEqual({ count: before.count + 1, bytes: before.bytes + 7 });

  async function weight() {
    const [row] = await store.database.rows<{ count: string }>("select artifact_count as count from projects");
    return { count: Number(row?.count), bytes: await store.ledger.storageOf("default") };
  }
});
