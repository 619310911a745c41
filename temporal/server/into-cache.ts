import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cachedExecutable } from "./cached.ts";
import { askVersion, type TemporalVersion } from "./version.ts";

/**
 * Lets `make` leave a `temporal` program in a temporary directory beside the cache's place, checks that it runs, and moves it there
 * in one step: a cut-short download or build is never taken for a whole one.
 */
export async function intoCache(
  cacheDir: string,
  make: (directory: string) => Promise<void>,
): Promise<{ executable: string; version: TemporalVersion }> {
  const executable = cachedExecutable(cacheDir);
  const half = join(dirname(executable), `.half-${randomBytes(6).toString("hex")}`);
  await mkdir(half, { recursive: true, mode: 0o755 });
  try {
    await make(half);
    const version = await askVersion(join(half, "temporal"));
    if (!version) throw new Error("the program does not run on this machine");
    await rename(join(half, "temporal"), executable);
    return { executable, version };
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}
