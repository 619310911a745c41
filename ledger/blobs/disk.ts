import { statSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { adoptFile } from "./adopt.ts";
import { checkFile, openVerified, readVerifiedHead } from "./read-verified.ts";
import { makeSureOfRoom, reservedBytes } from "./room.ts";
import { stageBytes, stageFile } from "./stage.ts";
import type { BlobStore } from "./store.ts";
import { findFile, takeFile } from "./take.ts";

/**
 * Blobs on disk: `<folder>/ab/cdef…`. `writer` names this process's own corner for temporary files; what a killed
 * predecessor left there is removed, which is why no two processes may share a name.
 */
export async function createDiskBlobs({
  folder,
  writer,
  reserve = reservedBytes,
}: {
  folder: string;
  writer: string;
  reserve?: number;
}): Promise<BlobStore> {
  const temporary = join(folder, "tmp", writer);
  const quarantine = join(folder, "quarantine");
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  await mkdir(quarantine, { recursive: true });
  await Promise.all(shelves.map((shelf) => mkdir(join(folder, shelf), { recursive: true })));

  const pathOf = (sha256: string) => blobPathIn(folder, sha256);
  const room = (bytes: number) => makeSureOfRoom(folder, bytes, reserve);
  const place = { temporary, quarantine, pathOf, room };
  return {
    stageFile: (source, maxBytes, signal) => stageFile(place, source, maxBytes, signal),
    stageBytes: (content) => stageBytes(place, content),
    adopt: (path, known) => adoptFile(place, path, known),
    open: (blob) => openVerified(pathOf(blob.sha256), blob),
    readHead: (blob, maxBytes) => readVerifiedHead(pathOf(blob.sha256), blob, maxBytes),
    has: ({ sha256, bytes }) => statSync(pathOf(sha256), { throwIfNoEntry: false })?.size === bytes,
    makeSureOfRoom: room,
    find: (sha256) => findFile(pathOf(sha256)),
    async *list() {
      for (const shelf of shelves) {
        const names = (await readdir(join(folder, shelf))).filter((name) => restOfHash.test(name));
        if (names.length > 0) yield names.map((name) => shelf + name);
      }
    },
    check: (sha256, pace) => checkFile(pathOf(sha256), pace),
    take: (sha256, isMeant) => takeFile(place, sha256, isMeant),
  };
}

/** Where a folder of blobs keeps the one of this hash. */
export const blobPathIn = (folder: string, sha256: string): string => join(folder, sha256.slice(0, 2), sha256.slice(2));

const shelves = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, "0"));
const restOfHash = /^[0-9a-f]{62}$/;
