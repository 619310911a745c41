import { randomBytes } from "node:crypto";
import { chmod, mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type ClusterAccount, createAccount, readAccount } from "./account.ts";
import { canReach } from "./can-reach.ts";
import type { Owner } from "./owner.ts";

// Outside every home: for root started under a closed directory (a 0700 home, a test's temporary directory).
const outside = "/var/lib/helixrun/postgres";

export type Place = { cluster: string; account: ClusterAccount };

/** Where this data directory's cluster lies: inside it, or outside where PostgreSQL's own account could not come to it. Decided once, recorded. */
export async function placeOfCluster(
  dataDir: string,
  owner: Owner | undefined,
  say: (line: string) => void,
): Promise<Place> {
  if (owner) await letPass(dataDir);
  const account = (await readAccount(dataDir)) ?? (await createAccount(dataDir, await choose(dataDir, owner, say)));
  const cluster = resolve(dataDir, account.cluster);
  if (await canReach(owner, join(cluster, ".."))) return { cluster, account };
  throw new Error(
    `the account ${owner?.name} cannot reach ${cluster} any more. Fix: chmod o+x the directories above it, or start with another --data directory.`,
  );
}

async function choose(dataDir: string, owner: Owner | undefined, say: (line: string) => void): Promise<string> {
  if (await canReach(owner, dataDir)) return "postgres";
  await mkdir(outside, { recursive: true, mode: 0o711 });
  const cluster = join(outside, randomBytes(8).toString("hex"));
  say(`${owner?.name} cannot enter ${dataDir}: the database lies in ${cluster} (recorded in postgres.json)`);
  return cluster;
}

// Passing through only: what lies in the data directory keeps its own, closed modes.
async function letPass(dataDir: string): Promise<void> {
  const { mode } = await stat(dataDir);
  if ((mode & 0o001) === 0) await chmod(dataDir, (mode & 0o7777) | 0o001);
}
