import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { type BackupManifest, ledgerFolderIn, type TableEntry, tableFileIn } from "./manifest.ts";
import { createMeasure } from "./measure.ts";
import type { Progress } from "./progress.ts";
import { syncDirectory } from "./sync-directory.ts";
import { copyTarget, sequencesOf, type Table, tablesOf } from "./tables.ts";

/**
 * Writes every table as it is in one snapshot. In COPY's text format: it is the same on every release and machine, can
 * be read, compared and committed, and a line is a row; it is larger than the binary one only where bytes are (as hex).
 */
export async function copyOut(
  client: pg.Client,
  directory: string,
  progress: Progress,
): Promise<Pick<BackupManifest, "level" | "tables" | "sequences">> {
  await mkdir(ledgerFolderIn(directory), { mode: 0o700 });
  await client.query("begin isolation level repeatable read, read only");
  const level = await levelOf(client);
  const tables: TableEntry[] = [];
  for (const table of await tablesOf(client)) {
    progress({ step: `table ${table.name}` });
    tables.push(await copyTable(client, directory, table));
  }
  const sequences = await sequencesOf(client);
  await client.query("commit");
  await syncDirectory(ledgerFolderIn(directory));
  return { level, tables, sequences };
}

async function levelOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ level: string | null }>("select max(name) as level from migrations");
  if (!rows[0]?.level) throw new Error("the database holds no ledger");
  return rows[0].level;
}

async function copyTable(client: pg.Client, directory: string, table: Table): Promise<TableEntry> {
  const { pass, result } = createMeasure();
  const rows = client.query(copyTo(`copy ${copyTarget(client, table)} to stdout`));
  const file = createWriteStream(tableFileIn(directory, table.name), { flags: "wx", mode: 0o600, flush: true });
  await pipeline(rows, pass, file);
  const { bytes, lines, sha256 } = result();
  return { ...table, rows: lines, bytes, sha256 };
}
