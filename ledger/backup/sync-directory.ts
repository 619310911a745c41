import { open } from "node:fs/promises";

/** What was made, renamed or linked in this directory survives a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
