import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { z } from "zod";
import { hashFile } from "../../ledger/blobs/hash-file.ts";
import type { Answer } from "../../toolpacks/contract/envelope.ts";
import { complaint, exitCodes } from "../complaint.ts";
import { exitCodeOf, textOf } from "../gateway-call.ts";
import { patiently } from "./patiently.ts";
import { answerIn, jsonIn, type TransferDoor } from "./transfer-door.ts";

export type Source = { path: string; bytes: number };
export type Meant = { type?: string | undefined; label?: string | undefined };
export type Progress = (doneBytes: number) => void;

const smallBytes = 4 * 2 ** 20; // what is smaller is sooner sent again than asked about
const Stand = z.object({ upload_id: z.string(), offset: z.int() });

/** Uploads a file; what is large goes on where it was when a connection breaks. The gateway checks its sha256. */
export async function uploadFile(
  door: TransferDoor,
  source: Source,
  meant: Meant,
  progress: Progress,
): Promise<Answer> {
  const given = Object.entries(meant).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = new URLSearchParams([...given, ["sha256", await sha256Of(source)]]).toString();
  return source.bytes <= smallBytes ? inOneGo(door, source, query, progress) : inParts(door, source, query, progress);
}

function inOneGo(door: TransferDoor, source: Source, query: string, progress: Progress): Promise<Answer> {
  return patiently(async () => answerIn(await sendFrom(door, `/v1/artifacts?${query}`, source, 0, progress)));
}

async function inParts(door: TransferDoor, source: Source, query: string, progress: Progress): Promise<Answer> {
  const id = await patiently(() => begin(door));
  try {
    await sendAll(door, id, source, progress);
    return await completed(door, id, query, () => inParts(door, source, query, progress));
  } finally {
    await abandon(door, id);
  }
}

function sendAll(door: TransferDoor, id: string, source: Source, progress: Progress): Promise<void> {
  return patiently(async (moved) => {
    const offset = await offsetOf(door, id);
    const reply = await sendFrom(door, `/v1/uploads/${id}`, source, offset, (done) => {
      moved();
      progress(done);
    });
    if (reply.statusCode === 409) throw brokenOff(); // what we had sent before our connection broke came after all
    if (reply.statusCode !== 200) throw await refused(await answerIn(reply));
    if ((await jsonIn(Stand, reply)).offset < source.bytes) throw brokenOff();
  });
}

/** Whatever became of it, the gateway shall not keep it for a day: what was completed is gone already. */
async function abandon(door: TransferDoor, id: string): Promise<void> {
  const asked = door.send({ method: "DELETE", path: `/v1/uploads/${id}`, evenIfStopped: true });
  await asked.then(
    (reply) => void reply.resume(),
    () => undefined,
  );
}

async function begin(door: TransferDoor): Promise<string> {
  const reply = await door.send({ method: "POST", path: "/v1/uploads" });
  if (reply.statusCode !== 201) throw await refused(await answerIn(reply));
  return (await jsonIn(Stand, reply)).upload_id;
}

async function offsetOf(door: TransferDoor, id: string): Promise<number> {
  const reply = await door.send({ method: "GET", path: `/v1/uploads/${id}` });
  if (reply.statusCode !== 200) throw await refused(await answerIn(reply));
  return (await jsonIn(Stand, reply)).offset;
}

/** If the answer to a first asking was lost, the upload is gone and its artifact there: sent again, it is answered by the same run. */
async function completed(door: TransferDoor, id: string, query: string, again: () => Promise<Answer>): Promise<Answer> {
  let asked = 0;
  const answer = await patiently(async () => {
    asked++;
    return answerIn(await door.send({ method: "POST", path: `/v1/uploads/${id}/complete?${query}` }));
  });
  const isGone = "error" in answer && answer.error.code === "P-PRECOND-013";
  return isGone && asked > 1 ? again() : answer;
}

/** Sends a file from an offset on: as one body, or as the rest of one. */
async function sendFrom(door: TransferDoor, path: string, source: Source, offset: number, progress: Progress) {
  const body = createReadStream(source.path, {
    start: offset,
    end: Math.max(offset, source.bytes - 1),
    highWaterMark: 1 << 18,
  });
  let done = offset;
  body.on("data", (part) => {
    done += part.length;
    progress(done);
  });
  const isPart = path.startsWith("/v1/uploads/");
  const headers = {
    "content-type": "application/octet-stream",
    "content-length": String(source.bytes - offset),
    ...(isPart && { "upload-offset": String(offset) }),
  };
  return door.send({ method: isPart ? "PATCH" : "POST", path, headers, body });
}

async function sha256Of({ path, bytes }: Source): Promise<string> {
  await using file = await open(path, "r");
  const sha256 = await hashFile(file);
  if ((await file.stat()).size === bytes) return sha256;
  throw complaint(`${path} changes while it is read. Fix: import it when nobody writes to it.`, exitCodes.retryable);
}

const brokenOff = () => Object.assign(new Error("the upload broke off"), { code: "ECONNRESET" });

/** What the gateway does not take will not be taken the next time either. */
async function refused(answer: Answer): Promise<Error> {
  return complaint(textOf(answer), exitCodeOf(answer));
}
