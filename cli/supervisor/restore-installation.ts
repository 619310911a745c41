import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { checkBackup } from "../../ledger/backup/check-backup.ts";
import type { BackupManifest } from "../../ledger/backup/manifest.ts";
import type { Progress } from "../../ledger/backup/progress.ts";
import { restoreBackup } from "../../ledger/backup/restore-backup.ts";
import { complaint, exitCodes, reasonOf } from "../complaint.ts";
import type { Config } from "../config.ts";
import { entriesOf, prepareDataDirectory } from "./data-directory.ts";
import { ensureLocalCredential } from "./local-credential.ts";
import { takeLock } from "./lock.ts";
import { findPrograms, type Programs } from "./programs.ts";
import { markRestoring, refuseHalfRestored, unmarkRestoring } from "./restore-mark.ts";
import { startLedger } from "./start-ledger.ts";

/**
 * Makes an empty data directory the installation that was backed up, with a credential of its own. Nothing is written
 * before the whole backup was found right; from then until all is done the directory is marked, and serves nobody.
 */
export async function restoreInstallation(
  config: Config,
  directory: string,
  progress: Progress,
): Promise<BackupManifest> {
  const { dataDir } = config;
  const programs = await findPrograms(config.searchPath);
  await expectEmpty(dataDir);
  const manifest = await checked(directory, progress);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const lock = await takeLock(dataDir, programs.flock);
  try {
    if (!lock) throw complaint(`another helixrun holds ${dataDir}. Fix: wait for it, or name another --data.`);
    await expectEmpty(dataDir); // and it stays so: the lock is ours
    await markRestoring(dataDir, directory, new Date());
    await prepareDataDirectory(dataDir);
    await fill(config, programs, { directory, manifest, progress }).catch((cause: unknown) => {
      throw complaint(`the backup could not be restored: ${reasonOf(cause)}`, exitCodes.unexpected, cause);
    });
    await ensureLocalCredential(dataDir);
    await unmarkRestoring(dataDir);
    return manifest;
  } finally {
    lock?.release();
  }
}

async function expectEmpty(dataDir: string): Promise<void> {
  await refuseHalfRestored(dataDir);
  const entries = (await entriesOf(dataDir)).filter((name) => name !== "lock");
  if (entries.length === 0) return;
  throw complaint(
    `${dataDir} is not empty, and a backup is restored into an empty directory only. Fix: --data NEW_DIRECTORY`,
    exitCodes.invalidRequest,
  );
}

const faultsShown = 20;

async function checked(directory: string, progress: Progress): Promise<BackupManifest> {
  const { manifest, faults } = await checkBackup(directory, progress);
  if (manifest) return manifest;
  const more = faults.length > faultsShown ? [`  and ${faults.length - faultsShown} more`] : [];
  const lines = [...faults.slice(0, faultsShown).map((fault) => `  - ${fault}`), ...more];
  throw complaint(
    [`${directory} cannot be restored, nothing was written:`, ...lines, "Fix: take another backup."].join("\n"),
    exitCodes.terminal,
  );
}

type Contents = { directory: string; manifest: BackupManifest; progress: Progress };

async function fill(config: Config, programs: Programs, contents: Contents): Promise<void> {
  const blobs = join(config.dataDir, "blobs");
  if (config.databaseUrl) return restoreBackup({ ...contents, databaseUrl: config.databaseUrl, blobs });
  await using ledger = await startLedger(config, programs, (line) => process.stderr.write(`${line}\n`));
  await restoreBackup({ ...contents, databaseUrl: ledger.databaseUrl, blobs });
}
