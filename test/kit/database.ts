import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export type TestDatabase = {
  url: string;
  rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
} & AsyncDisposable;

/** A database of its own for a test file, cloned from the migrated template. */
export const createDatabase = (): Promise<TestDatabase> => create(`template ${inject("templateDatabase")}`);

/** One without a ledger. */
export const createEmptyDatabase = (): Promise<TestDatabase> => create("");

async function create(from: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await administer(`create database ${name} ${from}`);
  const url = new URL(inject("databaseUrl"));
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  pool.on("connect", (client) => client.on("error", () => undefined)); // it may still be closing when its database is dropped
  return {
    url: url.href,
    rows: async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
      (await pool.query<Row>(text, values)).rows,
    async [Symbol.asyncDispose]() {
      await pool.end();
      await administer(`drop database ${name} with (force)`);
    },
  };
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject("databaseUrl") });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
