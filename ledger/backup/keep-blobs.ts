import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type pg from "pg";
import { Sha256 } from "../../toolpacks/contract/ids.ts";
import { blobPathIn } from "../blobs/disk.ts";
import { type BlobRow, blobRows, inGroups } from "./blob-rows.ts";
import { keepBlob } from "./keep-blob.ts";
import { type BackupManifest, blobFolderIn, type LeftOut } from "./manifest.ts";
import type { Progress } from "./progress.ts";
import { syncDirectory } from "./sync-directory.ts";

const atOnce = 32;

type Deps = { client: pg.Client; blobs: string; directory: string; progress: Progress };

/** Puts every blob that the snapshot names into the backup. Nothing is collected meanwhile. */
export async function keepBlobs(
  { client, blobs, directory, progress }: Deps,
  tables: BackupManifest["tables"],
): Promise<Pick<BackupManifest, "blobs" | "left_out">> {
  const folder = blobFolderIn(directory);
  await mkdir(folder, { mode: 0o700 });
  const total = tables.find(({ name }) => name === "blobs")?.rows ?? 0;
  const shelves = new Set<string>([folder]);
  const list = createHash("sha256");
  const leftOut: LeftOut[] = [];
  const sum = { count: 0, bytes: 0 };
  for await (const group of inGroups(blobRows(directory, tables), atOnce)) {
    const results = await Promise.all(group.map(keep));
    for (const { blob, result } of results) {
      if (!result.kept) leftOut.push({ sha256: blob.sha256, why: result.why });
      else note(blob);
    }
    await renameSignatures(
      client,
      results.flatMap(({ blob, result }) => (result.kept && result.now ? [{ ...blob, now: result.now }] : [])),
    );
    progress({ step: "blobs", share: (sum.count + leftOut.length) / total });
  }
  for (const shelf of shelves) await syncDirectory(shelf);
  return { blobs: { ...sum, list_sha256: Sha256.parse(list.digest("hex")) }, left_out: leftOut };

  async function keep(blob: BlobRow) {
    const target = blobPathIn(folder, blob.sha256);
    shelves.add(dirname(target));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    return { blob, result: await keepBlob(blob, blobPathIn(blobs, blob.sha256), target) };
  }

  function note({ sha256, bytes }: BlobRow): void {
    list.update(`${sha256}\n`);
    sum.count += 1;
    sum.bytes += bytes;
  }
}

/** Our links changed the times of these files: without this, each would be hashed again when it is read. */
async function renameSignatures(
  client: pg.Client,
  known: { sha256: string; verified: string; now: string }[],
): Promise<void> {
  if (known.length === 0) return;
  await client.query(rename, [
    known.map(({ sha256 }) => sha256),
    known.map(({ verified }) => verified),
    known.map(({ now }) => now),
  ]);
}

const rename = `update blobs set verified = known.now
from unnest($1::text[], $2::text[], $3::text[]) as known (sha256, before, now)
where blobs.sha256 = known.sha256 and blobs.verified = known.before`;
