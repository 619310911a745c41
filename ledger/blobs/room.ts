import { statfs } from "node:fs/promises";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";

/**
 * What a large file must leave free: a disk that is full to the last byte stops PostgreSQL too, and the runs under way
 * could no longer write their logs. 64 MiB are four segments of PostgreSQL's own log.
 */
export const reservedBytes = 64 * 2 ** 20;

/** Refuses what cannot fit before a byte of it is written. The answer is a guess: others write too, so a write may still fail. */
export async function makeSureOfRoom(folder: string, bytes: number, reserve: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (bytes + reserve > free)
    throw new ToolError("R-CAP-005", { details: { bytes, free_bytes: free, reserved_bytes: reserve } });
}
