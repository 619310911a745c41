import type { Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { UploadLimit } from "./upload-limit.ts";

export type Body = ReadableStream<Uint8Array> | null;

type Append = {
  file: FileHandle;
  offset: number;
  limit: UploadLimit;
  /** Asked before each batch: whoever else writes to the disk did not ask us. */
  makeSureOfRoom(bytes: number): Promise<void>;
  /** Of all that is in the file so far; absent if that is not known. */
  hash: Hash | undefined;
  signal: AbortSignal;
  /** Told of every part that comes: somebody is there. */
  seen(): void;
};

const batchBytes = 1 << 20;
const batchParts = 256; // a body may come byte by byte, and each part weighs more than that
const silentMs = 60_000;

/**
 * Writes a request's body to the end of a file. The body may break off: what came until then is written, and `whole` is
 * false. One batch is written and hashed while the next one comes, so that no more than two are ever in memory.
 */
export async function appendBody(append: Append, body: Body): Promise<{ offset: number; whole: boolean }> {
  let { offset } = append;
  let writing = Promise.resolve();
  const incoming = partsOf(append, body);
  let whole = false;
  try {
    while (!whole) {
      const batch = await incoming.next();
      await writing;
      await append.makeSureOfRoom(batch.bytes);
      whole = batch.ended;
      writing = write(append, batch.parts, offset);
      writing.catch(() => undefined); // it is awaited below
      offset += batch.bytes;
      if (batch.broken) break;
    }
    await writing;
    return { offset, whole };
  } finally {
    await writing.catch(() => undefined);
    incoming.stop();
  }
}

async function write({ file, hash }: Append, parts: Uint8Array[], offset: number): Promise<void> {
  const written = writeAll(file, parts, offset);
  for (const part of parts) hash?.update(part); // on this thread, while another writes
  await written;
}

/** As they came: joined first, they would be in memory twice. */
async function writeAll(file: FileHandle, parts: Uint8Array[], offset: number): Promise<void> {
  if (parts.length === 0) return;
  const { bytesWritten } = await file.writev(parts, offset);
  const rest = partsAfter(parts, bytesWritten);
  if (rest.length > 0) await writeAll(file, rest, offset + bytesWritten);
}

function partsAfter(parts: Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = 0;
  return parts.flatMap((part) => {
    const from = Math.min(part.length, bytes - skipped);
    skipped += from;
    return from < part.length ? [part.subarray(from)] : [];
  });
}

type Batch = { parts: Uint8Array[]; bytes: number; ended: boolean; broken: boolean };

/** The body in batches. A connection that broke, or a sender that is silent or was replaced, ends it as `broken`. */
function partsOf({ offset, limit, signal, seen }: Append, body: Body) {
  const reader = body?.getReader();
  const cancel = async () => reader?.cancel().catch(() => undefined);
  let givenUp = signal.aborted;
  const giveUp = () => {
    givenUp = true; // else what is cancelled would look as if it had come to its end
    void cancel();
  };
  const silence = setTimeout(giveUp, silentMs);
  signal.addEventListener("abort", giveUp);
  let total = offset;

  async function next(): Promise<Batch> {
    const batch: Batch = { parts: [], bytes: 0, ended: false, broken: false };
    while (batch.bytes < batchBytes && batch.parts.length < batchParts) {
      const part = await reader?.read().catch(() => "broken" as const);
      if (givenUp || part === "broken") return { ...batch, broken: true };
      if (part === undefined || part.done) return { ...batch, ended: true };
      silence.refresh();
      seen();
      total += part.value.length;
      if (total > limit.bytes) throw limit.refusal(total);
      batch.parts.push(part.value);
      batch.bytes += part.value.length;
    }
    return batch;
  }
  return {
    next,
    stop() {
      clearTimeout(silence);
      signal.removeEventListener("abort", giveUp);
      reader?.releaseLock(); // whoever refuses the rest may still have to read it
    },
  };
}
