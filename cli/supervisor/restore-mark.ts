import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { readAccount } from "../../ledger/server/account.ts";
import { complaint, exitCodes } from "../complaint.ts";
import { writeJsonFile } from "./json-file.ts";

const fileIn = (dataDir: string) => join(dataDir, "restoring.json");

/** From the first file of a restore until it is complete: a data directory with this mark serves nobody. */
export const markRestoring = (dataDir: string, from: string, begunAt: Date): Promise<void> =>
  writeJsonFile(fileIn(dataDir), { from, begun_at: begunAt.toISOString() });

export const unmarkRestoring = (dataDir: string): Promise<void> => rm(fileIn(dataDir));

/** What a restore has begun and not completed is of no use: it has to be begun again, in an empty directory. */
export async function refuseHalfRestored(dataDir: string): Promise<void> {
  if (!existsSync(fileIn(dataDir))) return;
  const cluster = (await readAccount(dataDir).catch(() => undefined))?.cluster;
  const elsewhere = cluster !== undefined && isAbsolute(cluster) ? ` ${cluster}` : "";
  throw complaint(
    `the restore into ${dataDir} was not completed, nothing is served from it. Fix: rm -r ${dataDir}${elsewhere}, then helixrun restore again.`,
    exitCodes.terminal,
  );
}
