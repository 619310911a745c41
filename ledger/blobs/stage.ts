import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256Hex } from "../../toolpacks/contract/hash.ts";
import { Sha256 } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { signatureOf } from "./signature.ts";
import type { StagedBlob, StoredBlob } from "./store.ts";

type Place = { temporary: string; pathOf(sha256: string): string };

const chunkBytes = 1 << 20;
const headBytes = 4_096;

/** Copies a file into our own corner while hashing it, in one pass: what was hashed is what will be stored. */
export async function stageFile(
  place: Place,
  source: FileHandle,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<StagedBlob> {
  const path = join(place.temporary, randomUUID());
  const drop = () => rm(path, { force: true });
  try {
    const target = await open(path, "wx", 0o444);
    try {
      const { sha256, bytes, head } = await copyHashed(source, target, maxBytes, signal);
      const keep = () => putInPlace(place, path, { sha256, bytes });
      return { sha256, bytes, head, keep, [Symbol.asyncDispose]: drop };
    } finally {
      await target.close();
    }
  } catch (error) {
    await drop();
    throw asToolError(error);
  }
}

/** Small content is hashed in memory and written only if it is kept: a replayed call touches no disk. */
export function stageBytes(place: Place, content: Uint8Array): StagedBlob {
  const path = join(place.temporary, randomUUID());
  const sha256 = sha256Hex(content);
  const drop = () => rm(path, { force: true });
  const keep = async () => {
    try {
      const target = await open(path, "wx", 0o444);
      try {
        await target.writeFile(content);
      } finally {
        await target.close();
      }
      return await putInPlace(place, path, { sha256, bytes: content.length });
    } catch (error) {
      await drop();
      throw asToolError(error);
    }
  };
  return { sha256, bytes: content.length, head: content.subarray(0, headBytes), keep, [Symbol.asyncDispose]: drop };
}

async function copyHashed(source: FileHandle, target: FileHandle, maxBytes: number, signal?: AbortSignal) {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let head = Buffer.alloc(0);
  let bytes = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await source.read(chunk, 0, chunkBytes, bytes);
    if (bytesRead === 0) return { sha256: Sha256.parse(hash.digest("hex")), bytes, head };
    const part = chunk.subarray(0, bytesRead);
    if (bytes === 0) head = Buffer.from(part.subarray(0, headBytes));
    bytes += bytesRead;
    if (bytes > maxBytes) throw new ToolError("I-REQ-003", { details: { max_bytes: maxBytes } }); // it grew while we read
    hash.update(part);
    await writeAll(target, part);
  }
}

async function writeAll(target: FileHandle, part: Uint8Array): Promise<void> {
  for (let written = 0; written < part.length;) {
    written += (await target.write(part, written)).bytesWritten;
  }
}

/** Moves a complete file under its hash, once it is on disk. A blob that is there already is replaced by the same bytes. */
async function putInPlace(place: Place, path: string, blob: { sha256: Sha256; bytes: number }): Promise<StoredBlob> {
  const final = place.pathOf(blob.sha256);
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

function asToolError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" ? new ToolError("R-CAP-005", { cause: error }) : error;
}
