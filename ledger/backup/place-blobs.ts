import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type pg from "pg";
import { blobPathIn } from "../blobs/disk.ts";
import { blobRows, inGroups } from "./blob-rows.ts";
import { copyVerified } from "./copy-verified.ts";
import { type BackupManifest, blobFolderIn } from "./manifest.ts";
import type { Progress } from "./progress.ts";
import { syncDirectory } from "./sync-directory.ts";

const atOnce = 8;

type Deps = { client: pg.Client; blobs: string; directory: string; progress: Progress };

/**
 * Puts the backup's blobs into the store, always as copies: no file of the new installation is one of the backup's, or
 * through its links one of the installation that was backed up. What the backup lacks is marked, so that the runs that
 * made it can make it again.
 */
export async function placeBlobs(
  { client, blobs, directory, progress }: Deps,
  manifest: BackupManifest,
): Promise<void> {
  const leftOut = new Set<string>(manifest.left_out.map(({ sha256 }) => sha256));
  const shelves = new Set<string>([blobs]);
  let done = 0;
  for await (const group of inGroups(blobRows(directory, manifest.tables), atOnce)) {
    const here = group.filter(({ sha256 }) => !leftOut.has(sha256));
    const signatures = await Promise.all(here.map(({ sha256 }) => place(sha256)));
    await client.query(verify, [here.map(({ sha256 }) => sha256), signatures]);
    done += here.length;
    progress({ step: "blobs", share: done / manifest.blobs.count });
  }
  for (const shelf of shelves) await syncDirectory(shelf);
  await client.query(quarantine, [[...leftOut]]);

  async function place(sha256: string): Promise<string> {
    const target = blobPathIn(blobs, sha256);
    shelves.add(dirname(target));
    await mkdir(dirname(target), { recursive: true });
    const copied = await copyVerified(blobPathIn(blobFolderIn(directory), sha256), target, sha256);
    if (!copied) throw new Error(`the blob ${sha256} was changed while it was read`);
    return copied.verified;
  }
}

const verify = `update blobs set verified = found.verified
from unnest($1::text[], $2::text[]) as found (sha256, verified) where blobs.sha256 = found.sha256`;

const quarantine = "update blobs set quarantined_at = coalesce(quarantined_at, now()) where sha256 = any($1)";
