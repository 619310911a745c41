import { join } from "node:path";
import { askVersion, ownVersion } from "./version.ts";
import type { Way } from "./way.ts";

/** One that we downloaded or built before; root's cache serves every user of the machine. */
export const cached: Way = {
  name: "our cache",
  slow: false,
  async find({ cacheDir }) {
    for (const directory of new Set([cacheDir, "/var/cache/helixrun"])) {
      const executable = cachedExecutable(directory);
      const version = await askVersion(executable);
      if (version) return { found: { kind: "program", executable, version }, where: executable };
    }
    return {
      missed: `nothing that runs at ${cachedExecutable(cacheDir)}`,
      fix: `copy a Temporal CLI ${ownVersion} to that path`,
    };
  },
};

export const cachedExecutable = (cacheDir: string): string => join(cacheDir, "temporal", ownVersion, "temporal");
