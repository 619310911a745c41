import { readFile, rename, writeFile } from "node:fs/promises";
import type { z } from "zod";

/** Reads a small state file of ours; undefined where it is absent or not what it should be (written by another version). */
export async function readJsonFile<T extends z.ZodType>(file: string, schema: T): Promise<z.infer<T> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Replaces it in one step, so a reader never sees half of it. One process writes: the owner of the data directory. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  const half = `${file}.new`;
  await writeFile(half, JSON.stringify(value, null, 2) + "\n", { mode: 0o600 });
  await rename(half, file);
}
