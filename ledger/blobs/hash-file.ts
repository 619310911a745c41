import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { Sha256 } from "../../toolpacks/contract/ids.ts";

const chunkBytes = 1 << 20;

/** Reads a file to its end, in order: the next part is read while `use` has the one before. */
export async function eachPart(
  file: FileHandle,
  use: (part: Uint8Array, at: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<number> {
  let [current, other] = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)];
  let at = 0;
  let { bytesRead } = await file.read(current, 0, chunkBytes, 0);
  while (bytesRead > 0) {
    signal?.throwIfAborted();
    const part = current.subarray(0, bytesRead);
    const [next] = await Promise.all([file.read(other, 0, chunkBytes, at + bytesRead), use(part, at)]);
    at += bytesRead;
    ({ bytesRead } = next);
    [current, other] = [other, current];
  }
  return at;
}

/** Hashes a file, as slowly as `pace` wants after each part. */
export async function hashFile(
  file: FileHandle,
  { signal, pace }: { signal?: AbortSignal | undefined; pace?: (bytes: number) => Promise<void> } = {},
): Promise<Sha256> {
  const hash = createHash("sha256");
  const use = async (part: Uint8Array) => {
    hash.update(part);
    await pace?.(part.length);
  };
  await eachPart(file, use, signal);
  return Sha256.parse(hash.digest("hex"));
}
