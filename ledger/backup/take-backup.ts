import { mkdir, rm } from "node:fs/promises";
import type pg from "pg";
import { forbidCollection } from "../collection-lock.ts";
import { copyOut } from "./copy-out.ts";
import { keepBlobs } from "./keep-blobs.ts";
import { blobFolderIn, type BackupManifest, ledgerFolderIn, writeManifest } from "./manifest.ts";
import type { Progress } from "./progress.ts";
import { openSession } from "./session.ts";
import { syncDirectory } from "./sync-directory.ts";

export type BackupOrder = {
  databaseUrl: string;
  /** The folder of the blob store. */
  blobs: string;
  /** Where the backup goes: an empty directory, or none yet. */
  directory: string;
  /** The version of Helixrun that makes it. */
  version: string;
  clock(): Date;
  progress: Progress;
};

/**
 * Writes a backup of ledger and blobs to one consistent point, while others go on working. It is complete when its
 * manifest is there; one that fails leaves nothing behind.
 */
export async function takeBackup(order: BackupOrder): Promise<BackupManifest> {
  const { databaseUrl, directory, progress } = order;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    await using session = await openSession(databaseUrl);
    const { client } = session;
    const created_at = order.clock().toISOString();
    await holdBlobs(client);
    const ledger = await copyOut(client, directory, progress);
    const kept = await keepBlobs({ client, blobs: order.blobs, directory, progress }, ledger.tables);
    await client.query("select 1"); // had this session been lost, blobs could have been collected: then there is no backup
    const manifest: BackupManifest = { format: 1, helixrun: order.version, created_at, ...ledger, ...kept };
    await syncDirectory(directory);
    await writeManifest(directory, manifest);
    return manifest;
  } catch (error) {
    for (const folder of [ledgerFolderIn(directory), blobFolderIn(directory)])
      await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Collections are committed within moments; what holds the lock longer is another backup. */
async function holdBlobs(client: pg.Client): Promise<void> {
  await client.query("set lock_timeout = '1min'");
  await forbidCollection(client).catch((cause: unknown) => {
    throw new Error(`another backup is being taken (${reasonOf(cause)}). Fix: wait until it has ended.`, { cause });
  });
  await client.query("set lock_timeout = 0");
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
