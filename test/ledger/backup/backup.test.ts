import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { checkBackup } from "../../../ledger/backup/check-backup.ts";
import { blobPathIn } from "../../../ledger/blobs/disk.ts";
import { signatureOf } from "../../../ledger/blobs/signature.ts";
import { sha256Hex } from "../../../toolpacks/contract/hash.ts";
import { describeWith } from "../../kit/component.ts";
import { createStack, type TestStack } from "../../kit/stack.ts";
import { backUp, directory, drop, flipByte, restored } from "./kit.ts";

const content = "to be kept\n";
const sha256 = sha256Hex(content);
const importOf = (text: string) => ({ content: text, type: "text", label: "kept" });

describeWith("temporal", "a backup", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await createStack();
    await stack.call("artifact_import", importOf(content));
    await stack.call("artifact_import", importOf("a second one\n"));
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  async function taken(parent?: string) {
    const backup = join(await directory(parent), "backup");
    return { backup, manifest: await backUp(stack.database.url, stack.dataDir, backup) };
  }
  const stored = (hash: string = sha256) => blobPathIn(join(stack.dataDir, "blobs"), hash);
  const kept = (backup: string, hash: string = sha256) => blobPathIn(join(backup, "blobs"), hash);
  const restoredHere = async (backup: string) => {
    const there = await restored(backup);
    onTestFinished(() => drop(there));
    return there;
  };

  test("holds every table of the ledger and where each counter stands, and they come back as they were", async () => {
    const { backup, manifest } = await taken();
    const there = await restoredHere(backup);

    const tables = await stack.database.rows<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations'",
    );
    expect(manifest.tables.map(({ name }) => name).toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
    const again = join(await directory(), "again");
    const second = await backUp(there.database.url, there.dataDir, again);
    const withoutBlobs = ({ name }: { name: string }) => name !== "blobs"; // their files are others now
    expect(second.tables.filter(withoutBlobs)).toEqual(manifest.tables.filter(withoutBlobs));
    expect(second.sequences).toEqual(manifest.sequences);
    expect(second.blobs).toEqual(manifest.blobs);
  });

  test("says nothing of where the installation lies, and only its owner may read it", async () => {
    const { backup, manifest } = await taken();

    expect(JSON.stringify(manifest)).not.toContain(stack.dataDir);
    expect((await stat(backup)).mode & 0o077).toBe(0);
    expect((await stat(join(backup, "ledger", "calls.copy"))).mode & 0o077).toBe(0);
  });

  test("links blobs on the same file system, and the store knows its files as verified as before", async () => {
    const { backup } = await taken();

    const [inStore, inBackup] = await Promise.all([stored(), kept(backup)].map((path) => stat(path, { bigint: true })));
    expect(inBackup?.ino).toBe(inStore?.ino);
    const [row] = await stack.database.rows("select verified from blobs where sha256 = $1", [sha256]);
    expect(row).toEqual({ verified: inStore && signatureOf(inStore) });
  });

  test.runIf(existsSync("/dev/shm"))("copies blobs to another file system", async () => {
    const { backup } = await taken("/dev/shm");

    expect(await readFile(kept(backup), "utf8")).toBe(content);
    expect(await checkBackup(backup, () => undefined)).toMatchObject({ faults: [] });
  });

  test.each([
    ["a flipped byte in a blob", (at: string) => flipByte(kept(at)), new RegExp(`blob ${sha256} was changed`)],
    ["a missing blob", (at: string) => rm(kept(at)), new RegExp(`blob ${sha256} is missing`)],
    ["a flipped byte in a table", (at: string) => flipByte(join(at, "ledger/runs.copy")), /runs\.copy was changed/],
    ["a missing table", (at: string) => rm(join(at, "ledger/calls.copy")), /calls\.copy is missing/],
    ["a missing manifest", (at: string) => rm(join(at, "backup.json")), /no backup\.json/],
    ["a manifest that is none", (at: string) => writeFile(join(at, "backup.json"), "{}"), /not what it should be/],
    ["a newer level", (at: string) => edit(at, /"level": "\d+/, '"level": "9999'), /level 9999-.*does not know/],
    ["blobs that the ledger has not", (at: string) => edit(at, /"count": \d+/, '"count": 9'), /blobs are not those/],
  ])("with %s is refused, and it is said what is wrong", async (_, harm, words) => {
    const { backup } = await taken();

    await harm(backup);

    const { faults } = await checkBackup(backup, () => undefined);
    expect(faults).toEqual([expect.stringMatching(words)]);
  });

  test("leaves out what is not right in the store, says so, and what is restored heals by importing again (A39)", async () => {
    const texts = ["will be wrong\n", "will be missing\n", "will be quarantined\n"];
    const [wrong = "", missing = "", quarantined = ""] = texts.map((text) => sha256Hex(text));
    await Promise.all(texts.map((text) => stack.call("artifact_import", importOf(text))));
    await flipByte(stored(wrong));
    await rm(stored(missing));
    await stack.database.rows("update blobs set quarantined_at = now() where sha256 = $1", [quarantined]);

    const { backup, manifest } = await taken();
    const second = await createStack({ restored: await restored(backup) });
    onTestFinished(() => second[Symbol.asyncDispose]());
    const bad = () =>
      second.database.rows<{ sha256: string }>("select sha256 from blobs where quarantined_at is not null");
    const before = await bad();
    const again = await Promise.all(texts.map((text) => second.call("artifact_import", importOf(text))));

    expect(Object.fromEntries(manifest.left_out.map(({ sha256: hash, why }) => [hash, why]))).toEqual({
      [wrong]: "wrong_content",
      [missing]: "missing",
      [quarantined]: "quarantined",
    });
    expect(before.map((row) => row.sha256).toSorted()).toEqual([wrong, missing, quarantined].toSorted());
    expect(again).toMatchObject(texts.map(() => ({ status: "success", provenance: { replayed: false } })));
    expect(await bad()).toEqual([]);
    expect(await readFile(blobPathIn(join(second.dataDir, "blobs"), wrong), "utf8")).toBe(texts[0]);
  });

  test("that fails leaves nothing behind", async () => {
    const backup = join(await directory(), "backup");

    await expect(backUp(`${stack.database.url}_not`, stack.dataDir, backup)).rejects.toThrow(/does not exist/);

    expect(existsSync(join(backup, "ledger"))).toBe(false);
  });

  test("is not loaded into a database that holds a ledger", async () => {
    const { backup } = await taken();
    const there = await restoredHere(backup);
    const { manifest } = await checkBackup(backup, () => undefined);
    expect(manifest).toBeDefined();

    const { restoreBackup } = await import("../../../ledger/backup/restore-backup.ts");
    const order = {
      databaseUrl: there.database.url,
      blobs: there.dataDir,
      directory: backup,
      progress: () => undefined,
    };
    const again = manifest && restoreBackup({ ...order, manifest });

    await expect(again).rejects.toThrow(/holds a ledger already/);
  });
});

async function edit(backup: string, what: RegExp, by: string): Promise<void> {
  const file = join(backup, "backup.json");
  await writeFile(file, (await readFile(file, "utf8")).replace(what, by));
}
