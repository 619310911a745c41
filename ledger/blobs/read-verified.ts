import { open, type FileHandle } from "node:fs/promises";
import type { Sha256 } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { hashFile } from "./hash-file.ts";
import { signatureOf } from "./signature.ts";
import type { Checked } from "./store.ts";

/** Reads the start of a blob, after its whole content was found right: now, or when its file was last written to. */
export async function readVerifiedHead(
  path: string,
  blob: { sha256: Sha256; verified: string },
  maxBytes: number,
): Promise<{ head: Uint8Array; verified: string }> {
  const { file, verified } = await openVerified(path, blob);
  try {
    const head = Buffer.alloc(maxBytes);
    const { bytesRead } = await file.read(head, 0, maxBytes, 0);
    return { head: head.subarray(0, bytesRead), verified };
  } finally {
    await file.close();
  }
}

/** Opens a blob whose content is right. A file that was written to since it was last found so is hashed first. */
export async function openVerified(
  path: string,
  blob: { sha256: Sha256; verified: string },
): Promise<{ file: FileHandle; verified: string }> {
  const file = await open(path, "r").catch((cause: unknown) => {
    throw new ToolError("D-DATA-001", { details: { sha256: blob.sha256, found: "nothing" }, cause });
  });
  try {
    const verified = signatureOf(await file.stat({ bigint: true }));
    if (verified !== blob.verified) await verify(file, blob.sha256);
    return { file, verified };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Hashes all of a file; who reads only to check may say how fast. */
export async function checkFile(path: string, pace: (bytes: number) => Promise<void>): Promise<Checked> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!file) return { found: "nothing", verified: null };
  const verified = signatureOf(await file.stat({ bigint: true }));
  try {
    return { found: await hashFile(file, { pace }), verified };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EIO") return { found: "unreadable", verified };
    throw error;
  } finally {
    await file.close();
  }
}

async function verify(file: FileHandle, sha256: Sha256): Promise<void> {
  const found = await hashFile(file);
  if (found !== sha256) throw new ToolError("D-DATA-001", { details: { sha256, found } });
}
