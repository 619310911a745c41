import type { BlobStore, StagedBlob } from "./store.ts";

/**
 * For whoever has put files into the store and then, by now, their rows into the ledger: a collector may have taken a
 * file in between, if that took longer than its grace. From now on the rows hold them: put there again, they stay.
 */
export async function keepAgainIfTaken(blobs: Pick<BlobStore, "has">, staged: StagedBlob[]): Promise<void> {
  for (const blob of staged) if (!blobs.has(blob)) await blob.keep();
}
