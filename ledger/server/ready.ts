import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import type { ClusterAccount } from "./account.ts";

const role = "helixrun";
const databaseName = "helixrun";

// A statement of ours takes milliseconds; one that hangs must not hold its locks for ever.
const statementTimeout = "30s";

/** Waits until the server answers a query, then makes sure that our role and database exist. */
export async function readyDatabase(port: number, account: ClusterAccount, signal: AbortSignal): Promise<void> {
  const client = await connected(adminUrl(port, account), signal);
  try {
    await client.query("select 1");
    await ensureRole(client, account.password);
    await ensureDatabase(client);
  } finally {
    await client.end();
  }
}

export const adminUrl = (port: number, { adminPassword }: ClusterAccount): string =>
  `postgres://postgres:${adminPassword}@127.0.0.1:${port}/postgres`;

export const databaseUrl = (port: number, { password }: ClusterAccount): string =>
  `postgres://${role}:${password}@127.0.0.1:${port}/${databaseName}`;

async function connected(connectionString: string, signal: AbortSignal): Promise<Client> {
  const { Client } = (await import("pg")).default;
  for (;;) {
    signal.throwIfAborted();
    const client = new Client({ connectionString, connectionTimeoutMillis: 2000 });
    client.on("error", () => undefined); // a server killed right after its start: the next query says so
    const refused = await client.connect().then(
      () => undefined,
      (error: unknown) => error ?? new Error("refused"),
    );
    if (!refused) return client;
    await client.end().catch(() => undefined);
    await sleep(50);
  }
}

async function ensureRole(client: Client, password: string): Promise<void> {
  const known = await client.query("select 1 from pg_roles where rolname = $1", [role]);
  if (known.rowCount === 0) await client.query(`create role ${role} login password ${client.escapeLiteral(password)}`);
  await client.query(`alter role ${role} set statement_timeout = '${statementTimeout}'`);
}

async function ensureDatabase(client: Client): Promise<void> {
  const known = await client.query("select 1 from pg_database where datname = $1", [databaseName]);
  if (known.rowCount === 0) await client.query(`create database ${databaseName} owner ${role}`);
}
