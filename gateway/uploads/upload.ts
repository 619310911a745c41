import type { Hash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { asToolError } from "../../ledger/blobs/disk-full.ts";
import { hashFile } from "../../ledger/blobs/hash-file.ts";
import { Sha256 } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { appendBody, type Body } from "./append-body.ts";
import type { UploadRecord } from "./upload-files.ts";

/** An upload as the gateway that receives it knows it. */
export type Upload = {
  record: UploadRecord;
  path: string;
  resumable: boolean;
  /** Of all bytes in the file. Absent after a restart or a failure: then the file is read once more when it is sealed. */
  hash: Hash | undefined;
  sealed: Sealed | undefined;
  gone: boolean;
  stop: AbortController;
  last: Promise<unknown>;
};

export type Sealed = { sha256: Sha256; bytes: number };
export type Append = Pick<Parameters<typeof appendBody>[0], "offset" | "limit" | "makeSureOfRoom" | "seen"> & {
  declaredBytes: number | undefined;
};

/**
 * One at a time, and the newest wins: a client whose connection broke comes back before we have noticed, and must not
 * wait for its own ghost.
 */
export function inTurn<T>(upload: Upload, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  upload.stop.abort();
  const { signal } = (upload.stop = new AbortController());
  const turn = upload.last.then(() => {
    if (upload.gone) throw noUpload(upload.record.upload_id);
    return work(signal);
  });
  upload.last = turn.catch(() => undefined);
  return turn;
}

export function noUpload(uploadId: string): ToolError {
  return new ToolError("P-PRECOND-013", { details: { upload_id: uploadId } });
}

/** Whether the whole body came. If the disk is full or the body too long, nothing of it is left. */
export async function append(upload: Upload, at: Append, body: Body, signal: AbortSignal): Promise<boolean> {
  const file = await open(upload.path, "r+");
  try {
    await checkStand(upload, file, at);
    return await written(upload, file, at, body, signal);
  } finally {
    await file.close();
  }
}

async function checkStand({ record, sealed }: Upload, file: FileHandle, at: Append): Promise<void> {
  const { size, nlink } = await file.stat();
  // A second name: a blob may have been made of it by a gateway that was killed before it could remove the upload.
  if (sealed || nlink > 1 || at.offset !== size)
    throw new ToolError("P-PRECOND-014", { details: { upload_id: record.upload_id, offset: size } });
  if (at.declaredBytes !== undefined && size + at.declaredBytes > at.limit.bytes)
    throw at.limit.refusal(size + at.declaredBytes);
}

async function written(upload: Upload, file: FileHandle, at: Append, body: Body, signal: AbortSignal) {
  const { hash } = upload;
  upload.hash = undefined; // until the file holds all that it has seen
  try {
    const { whole } = await appendBody({ file, hash, signal, ...at }, body);
    await file.datasync();
    upload.hash = hash;
    return whole;
  } catch (error) {
    await file.truncate(at.offset);
    throw asToolError(error);
  }
}

export async function sealedOf({ path, hash }: Upload): Promise<Sealed> {
  const file = await open(path, "r");
  try {
    const { size: bytes } = await file.stat();
    return { sha256: hash ? Sha256.parse(hash.digest("hex")) : await hashFile(file), bytes };
  } finally {
    await file.close();
  }
}
