import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm, stat, utimes, writeFile, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256Hex } from "../../toolpacks/contract/hash.ts";
import { Sha256 } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { asToolError } from "./disk-full.ts";
import { eachPart } from "./hash-file.ts";
import { signatureOf } from "./signature.ts";
import type { StagedBlob, StoredBlob } from "./store.ts";

/** Where blobs are, and a corner for what is not one yet. */
export type Place = { temporary: string; pathOf(sha256: string): string; room(bytes: number): Promise<void> };

export const headBytes = 4_096;

/** Copies a file into our own corner while hashing it, in one pass: what was hashed is what will be stored. */
export async function stageFile(
  place: Place,
  source: FileHandle,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<StagedBlob> {
  await place.room((await source.stat()).size);
  const path = join(place.temporary, randomUUID());
  const own = await open(path, "wx+", 0o444).catch((error: unknown) => {
    throw asToolError(error);
  });
  try {
    return stagedAt(place, path, own, await copyHashed(source, own, maxBytes, signal));
  } catch (error) {
    await own.close();
    await rm(path, { force: true });
    throw asToolError(error);
  }
}

/**
 * A complete file in our corner as a staged blob. It is moved into the store, not linked: a link less would change its
 * ctime, and with it the signature by which the first reader knows that it need not be hashed again. The open file
 * outlives that: what a collector removes at this moment is put there again from it.
 */
export function stagedAt(
  place: Place,
  path: string,
  own: FileHandle,
  known: { sha256: Sha256; bytes: number; head: Uint8Array },
): StagedBlob {
  const { sha256, bytes } = known;
  let moved = false;
  const keep = async () => {
    if (moved)
      return inCorner(place, async (second) => {
        await copyTo(second, own);
        return putInPlace(place, second, { sha256, bytes });
      });
    const stored = await putInPlace(place, path, { sha256, bytes }).catch((error: unknown) => {
      throw asToolError(error);
    });
    moved = true;
    return stored;
  };
  const drop = async () => {
    await own.close();
    await rm(path, { force: true });
  };
  return { ...known, keep, [Symbol.asyncDispose]: drop };
}

async function copyTo(path: string, source: FileHandle): Promise<void> {
  await using target = await open(path, "wx", 0o444);
  await eachPart(source, (part) => writeAll(target, part));
}

/** Small content is hashed in memory and written only if it is kept: a replayed call touches no disk. */
export function stageBytes(place: Place, content: Uint8Array): StagedBlob {
  const sha256 = sha256Hex(content);
  const keep = () =>
    inCorner(place, async (path) => {
      await writeFile(path, content, { flag: "wx", mode: 0o444 });
      return putInPlace(place, path, { sha256, bytes: content.length });
    });
  const nothing = async () => undefined;
  return { sha256, bytes: content.length, head: content.subarray(0, headBytes), keep, [Symbol.asyncDispose]: nothing };
}

/** Works on a temporary file that is gone afterwards, whatever happens: moved to its place, or removed. */
async function inCorner<T>(place: Place, work: (path: string) => Promise<T>): Promise<T> {
  const path = join(place.temporary, randomUUID());
  try {
    return await work(path);
  } catch (error) {
    throw asToolError(error);
  } finally {
    await rm(path, { force: true });
  }
}

async function copyHashed(source: FileHandle, target: FileHandle, maxBytes: number, signal?: AbortSignal) {
  const hash = createHash("sha256");
  let head = Buffer.alloc(0);
  const copy = async (part: Uint8Array, at: number) => {
    if (at + part.length > maxBytes) throw new ToolError("I-REQ-003", { details: { max_bytes: maxBytes } }); // it grew while we read
    if (at === 0) head = Buffer.from(part.subarray(0, headBytes));
    const written = writeAll(target, part);
    hash.update(part); // on this thread, while others read and write
    await written;
  };
  const bytes = await eachPart(source, copy, signal);
  return { sha256: Sha256.parse(hash.digest("hex")), bytes, head };
}

async function writeAll(target: FileHandle, part: Uint8Array): Promise<void> {
  for (let written = 0; written < part.length;) {
    written += (await target.write(part, written)).bytesWritten;
  }
}

/** Moves a complete file under its hash, once it is on disk. A blob that is there already is replaced by the same bytes. */
async function putInPlace(place: Place, path: string, blob: { sha256: Sha256; bytes: number }): Promise<StoredBlob> {
  const final = place.pathOf(blob.sha256);
  const now = new Date();
  await utimes(path, now, now); // a collector lets young files be: they are as old as their place in the store
  await toDisk(path);
  await rename(path, final);
  await toDisk(dirname(final));
  return { ...blob, verified: signatureOf(await stat(final, { bigint: true })) };
}

async function toDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
