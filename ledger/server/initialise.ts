import { execFile } from "node:child_process";
import { chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Binaries } from "./binaries.ts";
import type { Owner } from "./owner.ts";
import type { Place } from "./place.ts";

const run = promisify(execFile);

/** Ties what we start to the life and the patience of our caller. */
export type Leash = { tie(command: string[]): string[]; signal: AbortSignal };

/**
 * Makes the cluster if there is none. It is made beside its place and renamed into it, so a start killed half-way begins again.
 * The caller holds the lock on the data directory: nobody else writes here.
 */
export async function initialise(
  { cluster, account }: Place,
  binaries: Binaries,
  owner: Owner | undefined,
  leash: Leash,
): Promise<void> {
  const major = await readFile(join(cluster, "PG_VERSION"), "utf8").catch(() => undefined);
  if (major !== undefined) return checkMajor(major.trim(), binaries.version, cluster);

  const half = join(dirname(cluster), `.${basename(cluster)}-new`);
  await rm(half, { recursive: true, force: true, maxRetries: 10 }); // an initdb of a killed start may still be ending
  await mkdir(half, { mode: 0o700 });
  const passwordFile = join(half, "password");
  await writeFile(passwordFile, account.adminPassword, { mode: 0o600 });
  if (owner) await Promise.all([half, passwordFile].map((path) => chown(path, owner.uid, owner.gid)));
  const [program = "", ...args] = leash.tie([binaries.initdb, ...initdbArguments(join(half, "cluster"), passwordFile)]);
  await initdb(program, args, owner, leash.signal);
  await rename(join(half, "cluster"), cluster);
  await rm(half, { recursive: true, force: true });
}

// initdb works without fsync and syncs everything once at its end.
const initdbArguments = (directory: string, passwordFile: string): string[] => [
  ...["--pgdata", directory, "--username", "postgres", "--pwfile", passwordFile, "--auth", "scram-sha-256"],
  ...["--encoding", "UTF8", "--locale", "C"],
];

async function initdb(program: string, args: string[], owner: Owner | undefined, signal: AbortSignal): Promise<void> {
  const account = owner ? { uid: owner.uid, gid: owner.gid } : {};
  const options = { ...account, cwd: "/", timeout: 120_000, signal };
  await run(program, args, options).catch((cause: Error & { stderr?: string }) => {
    throw new Error(`PostgreSQL's initdb failed: ${cause.stderr?.trim() || cause.message}`, { cause });
  });
}

function checkMajor(major: string, version: string, cluster: string): void {
  if (version.startsWith(`${major}.`)) return;
  throw new Error(
    `the database in ${cluster} was made by PostgreSQL ${major}, installed is ${version}. Fix: take the helixrun release that made it, or dump and restore.`,
  );
}
