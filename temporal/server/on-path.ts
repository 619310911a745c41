import { access, constants } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { askVersion, isNewEnough } from "./version.ts";
import type { Way } from "./way.ts";

const fix = "install the Temporal CLI 1.5 or newer (https://docs.temporal.io/cli) and put it on PATH";

/** A `temporal` that the user installed. */
export const onPath: Way = {
  name: "temporal on PATH",
  slow: false,
  async find({ searchPath }) {
    const executable = await programOn(searchPath, "temporal");
    if (!executable) return { missed: "not found", fix };
    const version = await askVersion(executable);
    if (!version) return { missed: `${executable} does not answer --version as the Temporal CLI does`, fix };
    if (!isNewEnough(version))
      return { missed: `${executable} is ${version.cli} (server ${version.server}): too old`, fix };
    return { found: { kind: "program", executable, version }, where: executable };
  },
};

/** The first program of that name on a PATH. */
export async function programOn(searchPath: string, name: string): Promise<string | undefined> {
  for (const directory of searchPath.split(":").filter(isAbsolute)) {
    const file = join(directory, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

const isExecutable = (file: string) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
