import type { FileHandle } from "node:fs/promises";
import type { Sha256 } from "../../toolpacks/contract/ids.ts";

/** A blob that is in the store; `verified` names the file as it was when its hash was known to be right. */
export type StoredBlob = { sha256: Sha256; bytes: number; verified: string };

/** Bytes read and hashed, not in the store yet: private to one call until it is kept, gone when it is dropped. */
export type StagedBlob = AsyncDisposable & {
  sha256: Sha256;
  bytes: number;
  /** The first bytes, for telling what kind of file it is. */
  head: Uint8Array;
  /** Puts the bytes into the store: all of them, on disk, under their hash, or nothing. */
  keep(): Promise<StoredBlob>;
};

/** Content-addressed bytes: written once under their sha256, read back only if they still have it. */
export type BlobStore = {
  /** Reads an open file to its end, at most `maxBytes` of it. */
  stageFile(source: FileHandle, maxBytes: number, signal?: AbortSignal): Promise<StagedBlob>;
  stageBytes(content: Uint8Array): StagedBlob;
  /** The first bytes of a blob whose whole content has been verified; `verified` as it is now. */
  readHead(
    blob: { sha256: Sha256; bytes: number; verified: string },
    maxBytes: number,
  ): Promise<{ head: Uint8Array; verified: string }>;
  /** Whether the store holds a blob of this hash and size; its bytes are not read. */
  has(blob: { sha256: Sha256; bytes: number }): Promise<boolean>;
};
