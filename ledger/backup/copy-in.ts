import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { type BackupManifest, type TableEntry, tableFileIn } from "./manifest.ts";
import { bigChunks, createMeasure } from "./measure.ts";
import type { Progress } from "./progress.ts";
import { copyTarget, tablesOf } from "./tables.ts";

/**
 * Loads all tables in one transaction into a ledger of the backup's own level. Triggers rest meanwhile: what they would
 * count and forbid has been counted and allowed when the rows were first written.
 */
export async function copyIn(
  client: pg.Client,
  directory: string,
  { tables, sequences }: BackupManifest,
  progress: Progress,
): Promise<void> {
  await expectSameTables(client, tables);
  const names = tables.map(({ name }) => client.escapeIdentifier(name));
  await client.query("begin");
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  await client.query(`truncate ${names.join(", ")}`); // rows that a migration brings are in the backup as they were then
  for (const table of tables) {
    progress({ step: `table ${table.name}` });
    await copyTable(client, directory, table);
  }
  for (const { name, last_value, is_called } of sequences)
    await client.query("select setval($1::regclass, $2, $3)", [client.escapeIdentifier(name), last_value, is_called]);
  for (const name of names) await client.query(`alter table ${name} enable trigger user`);
  await client.query("commit");
}

async function expectSameTables(client: pg.Client, expected: TableEntry[]): Promise<void> {
  const shapeOf = (tables: { name: string; columns: string[] }[]) =>
    JSON.stringify(tables.map(({ name, columns }) => [name, columns]));
  if (shapeOf(await tablesOf(client)) === shapeOf(expected)) return;
  throw new Error("the tables of the backup are not those of its level");
}

async function copyTable(client: pg.Client, directory: string, table: TableEntry): Promise<void> {
  const { pass, result } = createMeasure();
  const rows = createReadStream(tableFileIn(directory, table.name), bigChunks);
  await pipeline(rows, pass, client.query(copyFrom(`copy ${copyTarget(client, table)} from stdin`)));
  if (result().sha256 !== table.sha256) throw new Error(`ledger/${table.name}.copy was changed while it was read`);
}
