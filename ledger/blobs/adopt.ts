import { randomUUID } from "node:crypto";
import { link, open, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Sha256 } from "../../toolpacks/contract/ids.ts";
import { asToolError } from "./disk-full.ts";
import { hashFile } from "./hash-file.ts";
import { headBytes, stagedAt, stageFile, type Place } from "./stage.ts";
import { signatureOf } from "./signature.ts";
import type { StagedBlob } from "./store.ts";

/**
 * Stages a complete file of our own that nobody writes to any more: by a second name instead of a copy. The first name
 * goes when the blob is kept, and stays if it never is. `known` is its hash where it was made while the file was
 * written; else it is read once.
 */
export async function adoptFile(place: Place, path: string, known: Sha256 | undefined): Promise<StagedBlob> {
  const second = join(place.temporary, randomUUID());
  try {
    await link(path, second);
  } catch (error) {
    if (isOnAnotherDisk(error)) return copied(place, path);
    throw asToolError(error);
  }
  const own = await open(second, "r");
  try {
    await own.chmod(0o444);
    return movedWhenKept(place, path, stagedAt(place, second, own, await examined(own, known)));
  } catch (error) {
    await own.close();
    await rm(second, { force: true });
    throw error;
  }
}

/** A name less changes a file's ctime: its signature is taken after that, or the first reader would hash it all again. */
function movedWhenKept(place: Place, path: string, staged: StagedBlob): StagedBlob {
  const keep = async () => {
    const stored = await staged.keep();
    await rm(path, { force: true });
    return { ...stored, verified: signatureOf(await stat(place.pathOf(stored.sha256), { bigint: true })) };
  };
  return { ...staged, keep };
}

async function examined(file: FileHandle, known: Sha256 | undefined) {
  const { size: bytes } = await file.stat();
  const head = Buffer.alloc(Math.min(bytes, headBytes));
  await file.read(head, 0, head.length, 0);
  return { sha256: known ?? (await hashFile(file)), bytes, head };
}

async function copied(place: Place, path: string): Promise<StagedBlob> {
  const file = await open(path, "r");
  try {
    return await stageFile(place, file, Number.MAX_SAFE_INTEGER);
  } finally {
    await file.close();
  }
}

const isOnAnotherDisk = (error: unknown) =>
  error instanceof Error && "code" in error && (error.code === "EXDEV" || error.code === "EPERM");
