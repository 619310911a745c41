import { randomUUID } from "node:crypto";
import { link, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { signatureOf } from "./signature.ts";
import type { FoundFile, Take, TakenFile } from "./store.ts";

type Place = { temporary: string; quarantine: string; pathOf(sha256: string): string };

/** What is known of a blob's file without reading it. */
export async function findFile(path: string): Promise<(FoundFile & { inode: bigint }) | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (!found) return undefined;
  return {
    bytes: Number(found.size),
    putAt: new Date(Number(found.mtimeMs)),
    verified: signatureOf(found),
    inode: found.ino,
  };
}

/**
 * Takes a blob's file out of the store, if it is the one that is meant. A file that somebody put there between the look
 * and the taking is another inode: it goes back, and the taker is told that things have changed.
 */
export async function takeFile(place: Place, sha256: string, isMeant: (file: FoundFile) => boolean): Promise<Take> {
  const path = place.pathOf(sha256);
  const before = await findFile(path);
  if (!before) return { kind: "absent" };
  if (!isMeant(before)) return { kind: "changed" };
  const aside = join(place.temporary, randomUUID());
  const taken = takenFile({ path, aside, quarantined: join(place.quarantine, sha256) });
  try {
    await rename(path, aside);
  } catch (error) {
    if (isAbsence(error)) return { kind: "absent" };
    throw error;
  }
  if ((await stat(aside, { bigint: true })).ino === before.inode)
    return { kind: "taken", bytes: before.bytes, ...taken };
  await taken.putBack();
  return { kind: "changed" };
}

function takenFile({ path, aside, quarantined }: { path: string; aside: string; quarantined: string }): TakenFile {
  return {
    async putBack() {
      await link(aside, path).catch((error: unknown) => {
        if (!isPresence(error)) throw error; // somebody has brought the same bytes meanwhile
      });
      await rm(aside);
    },
    quarantine: () => rename(aside, quarantined),
    discard: () => rm(aside, { force: true }),
  };
}

const isAbsence = (error: unknown): boolean => codeOf(error) === "ENOENT";
const isPresence = (error: unknown): boolean => codeOf(error) === "EEXIST";

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
