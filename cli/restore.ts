import type { Command } from "commander";
import type { BackupManifest } from "../ledger/backup/manifest.ts";
import type { Flags } from "./config.ts";
import { dataOption, jsonOption } from "./options.ts";

/** `helixrun restore` */
export function registerRestore(program: Command): void {
  jsonOption(dataOption(program.command("restore")))
    .description("make a new data directory of a backup, after checking every hash; `helixrun up` then serves it")
    .argument("<directory>", "the backup")
    .addHelpText("after", "\nExample:\n  helixrun restore /mnt/backups/monday --data ./restored")
    .action(async (source: string, flags: Flags & { json: boolean }) => {
      const { resolve } = await import("node:path");
      const { readConfig } = await import("./config.ts");
      const { createProgressLine } = await import("./progress-line.ts");
      const { restoreInstallation } = await import("./supervisor/restore-installation.ts");
      const config = readConfig(flags);
      const { progress, end } = createProgressLine(process.stderr);
      const manifest = await restoreInstallation(config, resolve(source), progress).finally(end);
      const { dataDir } = config;
      process.stdout.write(`${flags.json ? JSON.stringify({ dataDir, ...manifest }) : textOf(dataDir, manifest)}\n`);
    });
}

function textOf(dataDir: string, { created_at, tables, blobs, left_out }: BackupManifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const lines = [
    `restored the backup of ${created_at}: ${dataDir}`,
    `  ledger  ${rows} rows in ${tables.length} tables`,
    `  blobs   ${blobs.count}, ${blobs.bytes} bytes`,
    ...left_out.map(({ sha256, why }) => `  the backup lacks ${sha256}: ${why.replace("_", " ")}`),
    `  next    helixrun up --data ${dataDir}`,
  ];
  return lines.join("\n");
}
