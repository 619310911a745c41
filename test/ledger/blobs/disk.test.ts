import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDiskBlobs } from "../../../ledger/blobs/disk.ts";
import type { BlobStore } from "../../../ledger/blobs/store.ts";
import { Sha256 } from "../../../toolpacks/contract/ids.ts";
import { mayMount } from "../../kit/may-mount.ts";

let folder: string;
let blobs: BlobStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "helixrun-blobs-"));
  blobs = await createDiskBlobs({ folder, writer: "test" });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const hashOf = (content: string | Buffer) => Sha256.parse(createHash("sha256").update(content).digest("hex"));
const pathOf = (sha256: string, root = folder) => join(root, sha256.slice(0, 2), sha256.slice(2));
const inCorner = (root = folder) => readdir(join(root, "tmp", "test"));

async function stagedFile(store: BlobStore, content: string | Buffer, maxBytes = 10_000_000) {
  const source = join(tmpdir(), `helixrun-source-${process.pid}`);
  await writeFile(source, content);
  const file = await open(source);
  try {
    return await store.stageFile(file, maxBytes);
  } finally {
    await file.close();
  }
}

test("a file is hashed while it is copied, and stored under its hash only when it is kept", async () => {
  const content = Buffer.alloc(2_500_000, "helixrun");
  await using staged = await stagedFile(blobs, content);

  expect(staged).toMatchObject({ sha256: hashOf(content), bytes: content.length });
  expect(staged.head).toEqual(content.subarray(0, 4_096));
  expect(blobs.has(staged)).toBe(false);
  const stored = await staged.keep();
  expect(blobs.has(stored)).toBe(true);
  expect(await readFile(pathOf(stored.sha256))).toEqual(content);
  expect((await stat(pathOf(stored.sha256))).mode & 0o222).toBe(0);
});

test("what is dropped leaves nothing, and dropping what was kept leaves it there", async () => {
  {
    await using dropped = await stagedFile(blobs, "dropped");
    expect(dropped.bytes).toBe(7);
  }
  {
    await using kept = blobs.stageBytes(Buffer.from("kept"));
    await kept.keep();
  }

  expect(await inCorner()).toEqual([]);
  expect(blobs.has({ sha256: hashOf("dropped"), bytes: 7 })).toBe(false);
  expect(blobs.has({ sha256: hashOf("kept"), bytes: 4 })).toBe(true);
});

test("a file that was kept is known as it is in the store, so that it need not be hashed again by its first reader", async () => {
  const staged = await stagedFile(blobs, "kept as it is");
  const stored = await staged.keep();
  await staged[Symbol.asyncDispose]();

  expect((await blobs.find(stored.sha256))?.verified).toBe(stored.verified);
});

test("what a collector took in the meantime is put there again, from the bytes that were staged", async () => {
  await using staged = await stagedFile(blobs, "taken and put back");
  await staged.keep();
  await rm(pathOf(staged.sha256));

  const again = await staged.keep();

  expect((await readFile(pathOf(staged.sha256))).toString()).toBe("taken and put back");
  expect((await blobs.find(staged.sha256))?.verified).toBe(again.verified);
});

test("a file that is adopted is moved, not copied; dropped, it stays where it was and the store as it is", async () => {
  const path = join(folder, "uploaded");
  await writeFile(path, "uploaded");
  {
    await using dropped = await blobs.adopt(path, undefined);
    expect(dropped).toMatchObject({ sha256: hashOf("uploaded"), bytes: 8 });
  }
  expect(blobs.has({ sha256: hashOf("uploaded"), bytes: 8 })).toBe(false);
  const { ino } = await stat(path);
  await using kept = await blobs.adopt(path, hashOf("uploaded"));
  const { verified } = await kept.keep();

  expect((await stat(pathOf(kept.sha256))).ino).toBe(ino);
  await expect(stat(path)).rejects.toThrow("ENOENT");
  expect((await blobs.find(kept.sha256))?.verified).toBe(verified); // the first reader need not hash it again
  expect(await inCorner()).toEqual([]);
});

test("a file that grows over its limit while it is read is refused, and nothing is left", async () => {
  await expect(stagedFile(blobs, "longer than that", 5)).rejects.toMatchObject({ code: "I-REQ-003" });

  expect(await inCorner()).toEqual([]);
});

test("the same bytes kept by many at once are one blob", async () => {
  const content = Buffer.from("many");
  const kept = await Promise.all(Array.from({ length: 20 }, () => blobs.stageBytes(content).keep()));

  expect(new Set(kept.map(({ sha256 }) => sha256)).size).toBe(1);
  expect(await readFile(pathOf(hashOf(content)))).toEqual(content);
});

test("an unchanged blob is read without hashing it again; a changed one is hashed, and refused if it is wrong", async () => {
  const stored = await blobs.stageBytes(Buffer.from("right")).keep();

  expect(Buffer.from((await blobs.readHead(stored, 3)).head).toString()).toBe("rig");
  execFileSync("touch", [pathOf(stored.sha256)]);
  const touched = await blobs.readHead(stored, 10);
  expect(touched.verified).not.toBe(stored.verified);
  await rm(pathOf(stored.sha256));
  await writeFile(pathOf(stored.sha256), "wrong");
  await expect(blobs.readHead(stored, 10)).rejects.toMatchObject({
    code: "D-DATA-001",
    details: { found: hashOf("wrong") },
  });
  await rm(pathOf(stored.sha256));
  await expect(blobs.readHead(stored, 10)).rejects.toMatchObject({ code: "D-DATA-001", details: { found: "nothing" } });
});

test("what a killed process left half-written is gone when its successor starts", async () => {
  await writeFile(join(folder, "tmp", "test", "half"), "half");

  await createDiskBlobs({ folder, writer: "test" });

  expect(await inCorner()).toEqual([]);
});

describe.skipIf(!mayMount())("on a full disk", () => {
  let small: string;
  beforeAll(async () => {
    small = await mkdtemp(join(tmpdir(), "helixrun-small-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", small]);
    await mkdir(join(small, "blobs"));
  });
  afterAll(async () => {
    execFileSync("umount", [small]);
    await rm(small, { recursive: true, force: true });
  });

  test("a file that leaves less than the reserve free is refused before a byte is copied; small content still fits", async () => {
    const store = await createDiskBlobs({ folder: join(small, "blobs"), writer: "test", reserve: 1 << 20 });
    const file = Buffer.alloc(1_500_000, 1);

    const refused = { code: "R-CAP-005", details: { bytes: 1_500_000, reserved_bytes: 1_048_576 } };
    await expect(stagedFile(store, file)).rejects.toMatchObject(refused);
    expect(await inCorner(join(small, "blobs"))).toEqual([]);
    expect((await store.stageBytes(Buffer.from("log")).keep()).bytes).toBe(3);
    await rm(pathOf(hashOf("log"), join(small, "blobs")));
  });

  test("staging a file and keeping content are refused as retryable, and nothing is left behind", async () => {
    const store = await createDiskBlobs({ folder: join(small, "blobs"), writer: "test", reserve: 0 });
    const large = Buffer.alloc(3_000_000, 1);

    await expect(stagedFile(store, large)).rejects.toMatchObject({ code: "R-CAP-005" });
    await expect(store.stageBytes(large).keep()).rejects.toMatchObject({ code: "R-CAP-005" });

    expect(await inCorner(join(small, "blobs"))).toEqual([]);
    expect(store.has({ sha256: hashOf(large), bytes: large.length })).toBe(false);
    expect((await store.stageBytes(Buffer.from("small")).keep()).bytes).toBe(5);
  });
});
