import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { forbidCollection, mayCollect } from "../../ledger/collection-lock.ts";
import { eventually } from "../cli/kit.ts";
import { createDatabase, type TestDatabase } from "../kit/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function collector(): Promise<{ may: boolean; client: pg.Client }> {
  const client = await session();
  await client.query("begin");
  return { may: await mayCollect(client), client };
}

test("collectors work side by side", async () => {
  const [one, other] = [await collector(), await collector()];

  expect([one.may, other.may]).toEqual([true, true]);
});

test("a backup waits for the collections under way; then nobody collects until its session ends", async () => {
  const under = await collector();
  const backup = await session();
  const forbidden = forbidCollection(backup);
  await eventually(async () => (await waiting()).length > 0);

  const meanwhile = await collector(); // those who come later do not keep a backup waiting
  await under.client.query("commit");
  await forbidden;
  const later = await collector();
  await backup.end();
  const after = await collector();

  expect([under.may, meanwhile.may, later.may, after.may]).toEqual([true, false, false, true]);
});

const waiting = () =>
  database.rows(
    "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
  );
