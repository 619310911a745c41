import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** What postgres.json keeps (0600): the passwords, and where the cluster lies (relative to the data directory where it is inside). */
export const ClusterAccount = z.object({ cluster: z.string(), adminPassword: z.string(), password: z.string() });
export type ClusterAccount = z.infer<typeof ClusterAccount>;

const fileIn = (dataDir: string) => join(dataDir, "postgres.json");

export async function readAccount(dataDir: string): Promise<ClusterAccount | undefined> {
  const text = await readFile(fileIn(dataDir), "utf8").catch(() => undefined);
  return text === undefined ? undefined : ClusterAccount.parse(JSON.parse(text));
}

/** Written before the cluster is made, so that a start killed half-way finds the same place and password again. */
export async function createAccount(dataDir: string, cluster: string): Promise<ClusterAccount> {
  const account = { cluster, adminPassword: randomPassword(), password: randomPassword() };
  await writeFile(fileIn(dataDir) + ".new", JSON.stringify(account, null, 2) + "\n", { mode: 0o600 });
  await rename(fileIn(dataDir) + ".new", fileIn(dataDir));
  return account;
}

const randomPassword = () => randomBytes(24).toString("base64url");
