import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDb, isLedgerAway } from "../../ledger/db.ts";
import { createDatabase, type TestDatabase } from "../kit/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const one = { name: "one", text: "select 1::bigint as one, $1::text as said" };

test("counters come back as numbers", async () => {
  const db = createDb({ url: database.url });

  expect(await db.query(one, ["x"])).toEqual([{ one: 1, said: "x" }]);
  await db.close();
});

test("a connection that PostgreSQL ends is replaced: the statement is sent again", async () => {
  const db = createDb({ url: database.url, max: 1, patienceMs: 5_000 });
  await db.query(one, ["before"]);

  const killing = db.query({ name: "kill", text: "select pg_sleep(0.2), $1::text" }, ["x"]);
  await database.rows(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%' and pid <> pg_backend_pid()",
  );

  await expect(killing).resolves.toHaveLength(1);
  await db.close();
});

test("a ledger that stays away is an error of its own kind, after as much patience as was asked for", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => closed.once("listening", resolve));
  const address = closed.address();
  closed.close();
  const port = typeof address === "object" && address ? address.port : 0;
  const db = createDb({ url: `postgres://x@127.0.0.1:${port}/x`, patienceMs: 300 });
  const asked = performance.now();

  const error: unknown = await db.query(one, ["x"]).catch((caught: unknown) => caught);

  expect(isLedgerAway(error)).toBe(true);
  expect(performance.now() - asked).toBeGreaterThan(250);
  await db.close();
});

test("a statement that PostgreSQL refuses is not taken for an absence, and not repeated", async () => {
  const db = createDb({ url: database.url, patienceMs: 5_000 });
  const asked = performance.now();

  const error: unknown = await db
    .query({ name: "wrong", text: "select nonsense" }, [])
    .catch((caught: unknown) => caught);

  expect(isLedgerAway(error)).toBe(false);
  expect(isLedgerAway("no error at all")).toBe(false);
  expect(performance.now() - asked).toBeLessThan(2_000);
  await db.close();
});
