import { mkdir } from "node:fs/promises";
import { migrate } from "../migrate.ts";
import { copyIn } from "./copy-in.ts";
import type { BackupManifest } from "./manifest.ts";
import { placeBlobs } from "./place-blobs.ts";
import type { Progress } from "./progress.ts";
import { openSession } from "./session.ts";

export type RestoreOrder = {
  databaseUrl: string;
  /** The folder of the new blob store. */
  blobs: string;
  directory: string;
  /** From `checkBackup`: only what was found right is restored. */
  manifest: BackupManifest;
  progress: Progress;
};

/**
 * Makes an empty database and an empty blob store what the backup says. It is loaded at its own level and then brought
 * to ours by the same migrations that an upgrade runs. Attempts that were open stay so: the reconciler ends them.
 */
export async function restoreBackup({
  databaseUrl,
  blobs,
  directory,
  manifest,
  progress,
}: RestoreOrder): Promise<void> {
  await using session = await openSession(databaseUrl);
  const { client } = session;
  const { rows } = await client.query<{ taken: boolean }>("select to_regclass('migrations') is not null as taken");
  if (rows[0]?.taken) throw new Error("the database holds a ledger already. Fix: restore into an empty one.");
  await migrate(databaseUrl, { to: manifest.level });
  await copyIn(client, directory, manifest, progress);
  progress({ step: "migrating to the newest level" });
  await migrate(databaseUrl);
  await mkdir(blobs, { recursive: true, mode: 0o700 });
  await placeBlobs({ client, blobs, directory, progress }, manifest);
  await client.query("analyze"); // the planner knows nothing of rows that were just loaded
}
