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

/** A blob's file, unread: `putAt` is when it was put there. (The time of its last change is not: a backup links it.) */
export type FoundFile = { bytes: number; putAt: Date; verified: string };

/** A file that is out of the store, and not yet gone. */
export type TakenFile = { putBack(): Promise<void>; quarantine(): Promise<void>; discard(): Promise<void> };
export type Take = ({ kind: "taken"; bytes: number } & TakenFile) | { kind: "absent" } | { kind: "changed" };

/** What a blob's bytes hash to now, and the file that was read; none has `nothing`, one that the disk cannot read is as bad. */
export type Checked = { found: Sha256 | "nothing" | "unreadable"; verified: string | null };

/** Content-addressed bytes: written once under their sha256, read back only if they still have it. */
export type BlobStore = {
  /** Reads an open file to its end, at most `maxBytes` of it. */
  stageFile(source: FileHandle, maxBytes: number, signal?: AbortSignal): Promise<StagedBlob>;
  stageBytes(content: Uint8Array): StagedBlob;
  /** Takes over a complete file of the same disk, without copying it; when it is kept, it is gone from where it was. */
  adopt(path: string, known: Sha256 | undefined): Promise<StagedBlob>;
  /** Opens a blob whose whole content has been verified; `verified` as it is now. Whoever opens it closes it. */
  open(blob: { sha256: Sha256; verified: string }): Promise<{ file: FileHandle; verified: string }>;
  /** The first bytes of a blob whose whole content has been verified; `verified` as it is now. */
  readHead(
    blob: { sha256: Sha256; bytes: number; verified: string },
    maxBytes: number,
  ): Promise<{ head: Uint8Array; verified: string }>;
  /** Whether the store holds a blob of this hash and size; its bytes are not read. */
  has(blob: { sha256: Sha256; bytes: number }): boolean;
  /** Refuses with R-CAP-005 if so many bytes would not fit. */
  makeSureOfRoom(bytes: number): Promise<void>;
  find(sha256: string): Promise<FoundFile | undefined>;
  /** All that is stored, some at a time. */
  list(): AsyncIterable<string[]>;
  /** Reads all of a blob, as slowly as `pace` wants after each part. */
  check(sha256: string, pace: (bytes: number) => Promise<void>): Promise<Checked>;
  /** Takes a file out of the store if it is the one that is meant; the caller then says what becomes of it. */
  take(sha256: string, isMeant: (file: FoundFile) => boolean): Promise<Take>;
};
