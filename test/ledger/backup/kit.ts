import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { checkBackup } from "../../../ledger/backup/check-backup.ts";
import type { BackupManifest } from "../../../ledger/backup/manifest.ts";
import { restoreBackup } from "../../../ledger/backup/restore-backup.ts";
import { takeBackup } from "../../../ledger/backup/take-backup.ts";
import { createEmptyDatabase, type TestDatabase } from "../../kit/database.ts";

/** A directory of one's own, gone when the test is over. */
export async function directory(parent: string = tmpdir()): Promise<string> {
  const path = await mkdtemp(join(parent, "helixrun-backup-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const quiet = () => undefined;

export const backUp = (databaseUrl: string, dataDir: string, target: string): Promise<BackupManifest> =>
  takeBackup({
    databaseUrl,
    blobs: join(dataDir, "blobs"),
    directory: target,
    version: "0.0.0",
    clock: () => new Date(),
    progress: quiet,
  });

export type Restored = { database: TestDatabase; dataDir: string };

/** Checks a backup and loads it into a database and a folder of their own. */
export async function restored(backup: string): Promise<Restored> {
  const { manifest, faults } = await checkBackup(backup, quiet);
  if (!manifest) throw new Error(faults.join(", "));
  const [database, dataDir] = [await createEmptyDatabase(), await mkdtemp(join(tmpdir(), "helixrun-restored-"))];
  const blobs = join(dataDir, "blobs");
  await restoreBackup({ databaseUrl: database.url, blobs, directory: backup, manifest, progress: quiet });
  await mkdir(join(blobs, "tmp")); // where a store would write
  return { database, dataDir };
}

export async function drop({ database, dataDir }: Restored): Promise<void> {
  await database[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
}

/** Changes one byte of a file: a new file, as the old one may have another name elsewhere. */
export async function flipByte(path: string): Promise<void> {
  const content = await readFile(path);
  content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 1;
  await rm(path);
  await writeFile(path, content);
}
