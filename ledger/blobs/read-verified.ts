import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import type { Sha256 } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { signatureOf } from "./signature.ts";

/** Reads the start of a blob, after its whole content was found right: now, or when its file was last written to. */
export async function readVerifiedHead(
  path: string,
  blob: { sha256: Sha256; verified: string },
  maxBytes: number,
): Promise<{ head: Uint8Array; verified: string }> {
  const file = await open(path, "r").catch((cause: unknown) => {
    throw new ToolError("D-DATA-001", { details: { sha256: blob.sha256, found: "nothing" }, cause });
  });
  try {
    const verified = signatureOf(await file.stat({ bigint: true }));
    if (verified !== blob.verified) await verify(file, blob.sha256);
    const head = Buffer.alloc(maxBytes);
    const { bytesRead } = await file.read(head, 0, maxBytes, 0);
    return { head: head.subarray(0, bytesRead), verified };
  } finally {
    await file.close();
  }
}

async function verify(file: FileHandle, sha256: Sha256): Promise<void> {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(1 << 20);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) break;
    hash.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
  const found = hash.digest("hex");
  if (found !== sha256) throw new ToolError("D-DATA-001", { details: { sha256, found } });
}
