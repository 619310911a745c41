import { sha256Hex } from "../../toolpacks/contract/hash.ts";
import type { Sha256 } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { BlobStore } from "./store.ts";

/** All of a small blob. It is in memory anyway, so its hash is taken of the very bytes that are handed out. */
export async function readWhole(
  blobs: Pick<BlobStore, "open">,
  blob: { sha256: Sha256; bytes: number; verified: string },
): Promise<{ content: Uint8Array; verified: string }> {
  const { file, verified } = await blobs.open(blob);
  try {
    const content = await file.readFile();
    const found = sha256Hex(content);
    if (found !== blob.sha256) throw new ToolError("D-DATA-001", { details: { sha256: blob.sha256, found } });
    return { content, verified };
  } finally {
    await file.close();
  }
}
