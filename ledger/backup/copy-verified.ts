import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { signatureOf } from "../blobs/signature.ts";
import { bigChunks, createMeasure } from "./measure.ts";

/** Copies a blob's file while hashing it, onto the disk; undefined, and no file, where the bytes are not those of the hash. */
export async function copyVerified(
  source: string,
  target: string,
  sha256: string,
): Promise<{ verified: string } | undefined> {
  const { pass, result } = createMeasure();
  const file = createWriteStream(target, { ...bigChunks, flags: "wx", mode: 0o444, flush: true });
  await pipeline(createReadStream(source, bigChunks), pass, file);
  if (result().sha256 === sha256) return { verified: signatureOf(await stat(target, { bigint: true })) };
  await rm(target, { force: true });
  return undefined;
}
