import { afterAll, beforeAll, expect, test } from "vitest";
import { knownLevels, migrate } from "../../ledger/migrate.ts";
import { createDatabase, type TestDatabase } from "../kit/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

test("a migrated database stays as it is, also when several processes migrate at once", async () => {
  const all = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);

  expect(all).toEqual([{ applied: [] }, { applied: [] }, { applied: [] }]);
});

test("an empty database is brought to the newest level by exactly one of those who try at once", async () => {
  await database.rows("drop schema public cascade");
  await database.rows("create schema public");

  const all = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);

  expect(all.flatMap(({ applied }) => applied)).toEqual(await knownLevels());
});

test("a database is brought to a level that is named, and later to the newest", async () => {
  await database.rows("drop schema public cascade");
  await database.rows("create schema public");

  const [first, ...others] = await knownLevels();

  expect(await migrate(database.url, { to: first ?? "" })).toEqual({ applied: [first] });
  expect(await migrate(database.url)).toEqual({ applied: others });
});

test("data of a newer version is refused with what to do", async () => {
  await database.rows("insert into migrations (name) values ('9999-from-the-future.sql')");

  await expect(migrate(database.url)).rejects.toThrow(/newer Helixrun \(9999-from-the-future\.sql\)/);
});

test.each(["update audit set code = 'x'", "delete from audit", "truncate audit"])(
  "the audit table is append-only: %s",
  async (statement) => {
    await database.rows("insert into audit (event, project, actor) values ('test', 'p', 'a')");

    await expect(database.rows(statement)).rejects.toThrow(/append-only/);
  },
);
