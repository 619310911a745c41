import type { Command } from "commander";
import type { BackupManifest, LeftOut } from "../ledger/backup/manifest.ts";
import { complaint, exitCodes, reasonOf } from "./complaint.ts";
import type { Config, Flags } from "./config.ts";
import { dataOption, jsonOption } from "./options.ts";

/** `helixrun backup` */
export function registerBackup(program: Command): void {
  jsonOption(dataOption(program.command("backup")))
    .description("write ledger and blobs, as they are at one moment, to a directory; the stack may go on working")
    .argument("<directory>", "where the backup goes: an empty directory, or none yet")
    .addHelpText("after", "\nExample:\n  helixrun backup /mnt/backups/monday")
    .action(async (target: string, flags: Flags & { json: boolean }) => {
      const { resolve } = await import("node:path");
      const { readConfig } = await import("./config.ts");
      const directory = resolve(target);
      const manifest = await backUp(readConfig(flags), directory);
      process.stdout.write(
        `${flags.json ? JSON.stringify({ directory, ...manifest }) : textOf(directory, manifest)}\n`,
      );
      if (manifest.left_out.some(isNews)) process.exitCode = exitCodes.terminal;
    });
}

async function backUp(config: Config, directory: string): Promise<BackupManifest> {
  const { join } = await import("node:path");
  const { takeBackup } = await import("../ledger/backup/take-backup.ts");
  const { packageVersion } = await import("./package-version.ts");
  const { createProgressLine } = await import("./progress-line.ts");
  const { reachLedger } = await import("./supervisor/reach-ledger.ts");
  await expectPlace(directory, config.dataDir);
  const { progress, end } = createProgressLine(process.stderr);
  await using ledger = await reachLedger(config, (line) => process.stderr.write(`${line}\n`));
  const order = {
    databaseUrl: ledger.databaseUrl,
    blobs: join(config.dataDir, "blobs"),
    directory,
    version: packageVersion(),
    clock: () => new Date(),
    progress,
  };
  try {
    return await takeBackup(order); // awaited here: the ledger is ours until then
  } catch (cause) {
    throw complaint(`there is no backup in ${directory}: ${reasonOf(cause)}`, exitCodes.retryable, cause);
  } finally {
    end();
  }
}

async function expectPlace(directory: string, dataDir: string): Promise<void> {
  const { relative } = await import("node:path");
  const { entriesOf } = await import("./supervisor/data-directory.ts");
  const entries = await entriesOf(directory);
  if (entries.length > 0) {
    const whole = entries.includes("backup.json") ? "holds a backup" : "holds files: not a complete backup";
    throw complaint(`${directory} ${whole}. Fix: name an empty or a new directory.`, exitCodes.invalidRequest);
  }
  if (!relative(dataDir, directory).startsWith(".."))
    throw complaint(
      `${directory} lies in the data directory: it would be lost with it. Fix: name another directory.`,
      exitCodes.invalidRequest,
    );
}

// What was quarantined before is known; what the backup found is not.
const isNews = ({ why }: LeftOut): boolean => why !== "quarantined";

function textOf(directory: string, { created_at, level, tables, blobs, left_out }: BackupManifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const lines = [
    `backup of ${created_at}: ${directory}`,
    `  ledger  ${rows} rows in ${tables.length} tables, level ${level}`,
    `  blobs   ${blobs.count}, ${blobs.bytes} bytes`,
    ...left_out.map(({ sha256, why }) => `  left out ${sha256}: ${why.replace("_", " ")}`),
  ];
  if (left_out.some(isNews)) lines.push("  Fix: helixrun artifacts verify; importing a file again brings it back.");
  return lines.join("\n");
}
