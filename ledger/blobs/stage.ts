import { createHash, randomUUID } from "node:crypto";
import { closeSync, fsync, futimesSync, open as openFile, openSync, renameSync, statSync, write } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
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
    if (moved) return keepCopy(place, { sha256, bytes }, (copy) => eachPart(own, (part) => writeAll(copy, part)));
    try {
      const stored = await putInPlace(place, path, own.fd, { sha256, bytes });
      moved = true;
      return stored;
    } catch (error) {
      throw asToolError(error);
    }
  };
  const drop = async () => {
    await own.close();
    await rm(path, { force: true });
  };
  return { ...known, keep, [Symbol.asyncDispose]: drop };
}

/** Small content is hashed in memory and written only if it is kept: a replayed call touches no disk. */
export function stageBytes(place: Place, content: Uint8Array): StagedBlob {
  const sha256 = sha256Hex(content);
  const bytes = content.length;
  const keep = () => keepCopy(place, { sha256, bytes }, (copy) => writeAll(copy, content));
  const nothing = async () => undefined;
  return { sha256, bytes, head: content.subarray(0, headBytes), keep, [Symbol.asyncDispose]: nothing };
}

/** Writes a file of its own in the corner and moves it to its place; whatever fails leaves nothing there. */
async function keepCopy(
  place: Place,
  blob: { sha256: Sha256; bytes: number },
  fill: (copy: number) => Promise<unknown>,
): Promise<StoredBlob> {
  const path = join(place.temporary, randomUUID());
  let copy: number | undefined;
  try {
    copy = await openNew(path, "wx", 0o444);
    await fill(copy);
    return await putInPlace(place, path, copy, blob);
  } catch (error) {
    await rm(path, { force: true });
    throw asToolError(error);
  } finally {
    if (copy !== undefined) closeSync(copy);
  }
}

async function copyHashed(source: FileHandle, target: FileHandle, maxBytes: number, signal?: AbortSignal) {
  const hash = createHash("sha256");
  let head = Buffer.alloc(0);
  const copy = async (part: Uint8Array, at: number) => {
    if (at + part.length > maxBytes) throw new ToolError("I-REQ-003", { details: { max_bytes: maxBytes } }); // it grew while we read
    if (at === 0) head = Buffer.from(part.subarray(0, headBytes));
    const written = writeAll(target.fd, part);
    hash.update(part); // on this thread, while others read and write
    await written;
  };
  const bytes = await eachPart(source, copy, signal);
  return { sha256: Sha256.parse(hash.digest("hex")), bytes, head };
}

async function writeAll(target: number, part: Uint8Array): Promise<void> {
  for (let written = 0; written < part.length;) {
    written += (await writeSome(target, part, written)).bytesWritten;
  }
}

const openNew = promisify(openFile);
const writeSome = promisify(write);
const toDisk = promisify(fsync);

/**
 * Moves a complete file under its hash, once it is on disk. A blob that is there already is replaced by the same bytes.
 * Only what may wait for the disk leaves this thread: each way to the thread pool and back costs more than a rename,
 * and with a dozen of them a small blob took twice as long (measured).
 */
async function putInPlace(
  place: Place,
  path: string,
  file: number,
  blob: { sha256: Sha256; bytes: number },
): Promise<StoredBlob> {
  const final = place.pathOf(blob.sha256);
  const now = new Date();
  futimesSync(file, now, now); // a collector lets young files be: they are as old as their place in the store
  await toDisk(file);
  renameSync(path, final);
  await folderToDisk(dirname(final)); // its new name
  return { ...blob, verified: signatureOf(statSync(final, { bigint: true })) };
}

async function folderToDisk(path: string): Promise<void> {
  const folder = openSync(path, "r");
  try {
    await toDisk(folder);
  } finally {
    closeSync(folder);
  }
}
