import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { hashFile } from "../../ledger/blobs/hash-file.ts";
import { complaint, exitCodes } from "../complaint.ts";
import { exitCodeOf, textOf } from "../gateway-call.ts";
import { patiently } from "./patiently.ts";
import { answerIn, type TransferDoor } from "./transfer-door.ts";

export type Wanted = { urlPath: string; sha256: string; bytes: number };
export type Progress = (doneBytes: number) => void;

/**
 * Downloads into `target.part` and renames it when it has the right hash. What an earlier, broken download left there is
 * gone on with; should it have been something else, all is fetched once more.
 */
export async function downloadFile(
  door: TransferDoor,
  wanted: Wanted,
  target: string,
  progress: Progress,
): Promise<void> {
  const part = `${target}.part`;
  for (const isLast of [false, true]) {
    await patiently((moved) =>
      fill(door, wanted, part, (done) => {
        moved();
        progress(done);
      }),
    );
    if (await isRight(part, wanted)) return rename(part, target);
    await rm(part);
    if (isLast) break;
  }
  throw complaint(`what arrived for ${target} does not have the sha256 ${wanted.sha256}.`, exitCodes.retryable);
}

/** Whether a file is there and has the bytes that are wanted. */
export async function isRight(path: string, { sha256, bytes }: Wanted): Promise<boolean> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (!file) return false;
  try {
    return (await file.stat()).size === bytes && (await hashFile(file)) === sha256;
  } finally {
    await file.close();
  }
}

async function fill(door: TransferDoor, wanted: Wanted, part: string, progress: Progress): Promise<void> {
  const file = await open(part, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
  try {
    const there = (await file.stat()).size;
    if (there === wanted.bytes) return;
    if (there > wanted.bytes) await file.truncate(0);
    const from = there > wanted.bytes ? 0 : there;
    const headers = from > 0 ? { range: `bytes=${from}-`, "if-range": `"${wanted.sha256}"` } : undefined;
    const reply = await door.send({ method: "GET", path: wanted.urlPath, ...(headers && { headers }) });
    const start = { 200: 0, 206: from }[reply.statusCode ?? 0];
    if (start === undefined) {
      const answer = await answerIn(reply);
      throw complaint(textOf(answer), exitCodeOf(answer));
    }
    await pipeline(reply, async (parts: AsyncIterable<Uint8Array>) => {
      let at = start;
      for await (const bytes of parts) {
        await file.write(bytes, 0, bytes.length, at);
        at += bytes.length;
        progress(at);
      }
    });
    await file.sync();
  } finally {
    await file.close();
  }
}
