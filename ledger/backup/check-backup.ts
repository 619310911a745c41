import { createHash } from "node:crypto";
import { blobPathIn } from "../blobs/disk.ts";
import { knownLevels } from "../migrate.ts";
import { type BlobRow, blobRows, inGroups } from "./blob-rows.ts";
import { type BackupManifest, blobFolderIn, readManifest, type TableEntry, tableFileIn } from "./manifest.ts";
import { measureFile } from "./measure.ts";
import type { Progress } from "./progress.ts";

export type CheckedBackup = { manifest: BackupManifest; faults: [] } | { manifest?: never; faults: string[] };

/** Reads the whole backup and compares every hash; all that is wrong is told at once. */
export async function checkBackup(directory: string, progress: Progress): Promise<CheckedBackup> {
  const manifest = await readManifest(directory);
  if (typeof manifest === "string") return { faults: [manifest] };
  const { level, tables } = manifest;
  if (!(await knownLevels()).includes(level))
    return {
      faults: [`it was made by Helixrun ${manifest.helixrun} at level ${level}, which this version does not know`],
    };
  const inTables = (await Promise.all(tables.map((table) => tableFaults(directory, table)))).flat();
  if (inTables.length > 0) return { faults: inTables }; // which blobs there should be is written in a table
  const inBlobs = await blobFaults(directory, manifest, progress);
  return inBlobs.length > 0 ? { faults: inBlobs } : { manifest, faults: [] };
}

async function tableFaults(directory: string, { name, bytes, rows, sha256 }: TableEntry): Promise<string[]> {
  const found = await measureFile(tableFileIn(directory, name));
  if (!found) return [`ledger/${name}.copy is missing`];
  if (found.sha256 === sha256 && found.bytes === bytes && found.lines === rows) return [];
  return [`ledger/${name}.copy was changed: it is not the file that backup.json names`];
}

const atOnce = 8;

async function blobFaults(directory: string, manifest: BackupManifest, progress: Progress): Promise<string[]> {
  const leftOut = new Set<string>(manifest.left_out.map(({ sha256 }) => sha256));
  const list = createHash("sha256");
  const faults: string[] = [];
  let seen = 0;
  for await (const group of inGroups(blobRows(directory, manifest.tables), atOnce)) {
    const here = group.filter(({ sha256 }) => !leftOut.has(sha256));
    for (const { sha256 } of here) list.update(`${sha256}\n`);
    faults.push(...(await Promise.all(here.map((blob) => blobFault(directory, blob)))).flat());
    seen += here.length;
    progress({ step: "checking blobs", share: seen / manifest.blobs.count });
  }
  if (seen !== manifest.blobs.count || list.digest("hex") !== manifest.blobs.list_sha256)
    faults.push("backup.json was changed: its blobs are not those of the ledger");
  return faults;
}

async function blobFault(directory: string, { sha256 }: BlobRow): Promise<string[]> {
  const found = await measureFile(blobPathIn(blobFolderIn(directory), sha256));
  if (!found) return [`the blob ${sha256} is missing`];
  return found.sha256 === sha256 ? [] : [`the blob ${sha256} was changed: its content has the hash ${found.sha256}`];
}
