import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { complaint, exitCodes, reasonOf } from "../complaint.ts";

/** Makes the data directory and what lies in it; the contents are for its owner only. */
export async function prepareDataDirectory(dataDir: string): Promise<void> {
  try {
    await mkdir(dirname(dataDir), { recursive: true }); // other people's directories keep their usual modes
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    for (const name of ["logs", "credentials", "blobs", "inbox", "temporal"])
      await mkdir(join(dataDir, name), { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw complaint(
      `the data directory ${dataDir} cannot be made (${reasonOf(cause)}). Fix: --data DIR or HELIXRUN_DATA.`,
      exitCodes.unexpected,
      cause,
    );
  }
}

export const inboxOf = (dataDir: string): string => join(dataDir, "inbox");

/** What lies in a directory; nothing where there is none. */
export async function entriesOf(directory: string): Promise<string[]> {
  return readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw complaint(`${directory} cannot be read (${reasonOf(cause)})`, exitCodes.invalidRequest, cause);
  });
}
