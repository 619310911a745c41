import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Sha256 } from "../../toolpacks/contract/ids.ts";
import { syncDirectory } from "./sync-directory.ts";

const Name = z.string().regex(/^[a-z_][a-z0-9_]*$/); // these stand in statements

/** A table's rows: one file in PostgreSQL's COPY text format. */
const TableEntry = z.strictObject({
  name: Name,
  columns: z.array(Name),
  rows: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  sha256: Sha256,
});
export type TableEntry = z.infer<typeof TableEntry>;

const LeftOut = z.strictObject({ sha256: Sha256, why: z.enum(["quarantined", "missing", "wrong_content"]) });
export type LeftOut = z.infer<typeof LeftOut>;

/** backup.json: what the backup holds. It says nothing of where the installation lay. */
const BackupManifest = z.strictObject({
  format: z.literal(1),
  helixrun: z.string(),
  created_at: z.iso.datetime(),
  /** The newest migration of the ledger that was backed up; the backup is loaded at this level. */
  level: z.string().regex(/^\d{4}-[a-z0-9-]+\.sql$/),
  /** In an order in which they can be loaded. */
  tables: z.array(TableEntry),
  sequences: z.array(z.strictObject({ name: Name, last_value: z.int(), is_called: z.boolean() })),
  /** `list_sha256`: of the hashes of all blobs that are here, a line each, in the order of the table `blobs`. */
  blobs: z.strictObject({ count: z.int().nonnegative(), bytes: z.int().nonnegative(), list_sha256: Sha256 }),
  /** Blobs of the ledger that were not right, so that they are not here. */
  left_out: z.array(LeftOut),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

export const ledgerFolderIn = (directory: string): string => join(directory, "ledger");
export const blobFolderIn = (directory: string): string => join(directory, "blobs");
export const tableFileIn = (directory: string, table: string): string =>
  join(ledgerFolderIn(directory), `${table}.copy`);

const fileIn = (directory: string) => join(directory, "backup.json");

/** Written last, in one step: a backup is complete when this file is there. */
export async function writeManifest(directory: string, manifest: BackupManifest): Promise<void> {
  const half = `${fileIn(directory)}.new`;
  const file = await open(half, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(half, fileIn(directory));
  await syncDirectory(directory);
}

/** The manifest, or what is wrong with it in words. */
export async function readManifest(directory: string): Promise<BackupManifest | string> {
  const text = await readFile(fileIn(directory), "utf8").catch(() => undefined);
  if (text === undefined) return "there is no backup.json: no backup, or one that was not completed";
  const manifest = BackupManifest.safeParse(jsonIn(text));
  return manifest.success ? manifest.data : `backup.json is not what it should be: ${z.prettifyError(manifest.error)}`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
