import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { postToolCall } from "../../cli/mcp-post.ts";
import { checkBackup } from "../../ledger/backup/check-backup.ts";
import { restoreBackup } from "../../ledger/backup/restore-backup.ts";
import { knownLevels, migrate } from "../../ledger/migrate.ts";
import { eventually } from "../cli/kit.ts";
import { describeWith } from "../kit/component.ts";
import { createEmptyDatabase, type TestDatabase } from "../kit/database.ts";
import { createStack, type TestStack } from "../kit/stack.ts";
import { backupIn, fixtureFolder, readFixture } from "./fixture.ts";

const fixture = readFixture("0001");
const directory = backupIn(fixtureFolder("0001"));

describeWith("temporal", "an installation of level 0001, under today's version", () => {
  let database: TestDatabase;
  let stack: TestStack;
  let level: string;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), "helixrun-upgrade-"));
    const { manifest, faults } = await checkBackup(directory, () => undefined);
    if (!manifest) throw new Error(faults.join(", "));
    level = manifest.level;
    const blobs = join(dataDir, "blobs");
    await restoreBackup({ databaseUrl: database.url, blobs, directory, manifest, progress: () => undefined });
    stack = await createStack({ restored: { database, dataDir }, build: fixture.build });
  });
  afterAll(() => stack[Symbol.asyncDispose]());
  const throughStack = (url: string, init: RequestInit) => stack.fetch(new Request(url, init));

  test("is at the newest level", async () => {
    const applied = await database.rows<{ name: string }>("select name from migrations order by name");

    expect(level).toBe("0001-spine.sql");
    expect(applied.map(({ name }) => name)).toEqual(await knownLevels());
    expect(await migrate(database.url)).toEqual({ applied: [] });
  });

  test.each(fixture.made)(
    "answers $tool $input in $project by its old run, as it did then (T2, A38)",
    async ({ project, tool, input, run_id, output }) => {
      const before = await database.rows("select count(*) from attempts");

      const answer = await stack.call(tool, input, { project });

      expect(answer).toMatchObject({ status: "success", run_id, output, provenance: { replayed: true } });
      expect(await database.rows("select count(*) from attempts")).toEqual(before);
    },
  );

  test("shows an old run and what it made (A38)", async () => {
    const [made] = fixture.made;
    const gateway = { mcpUrl: "http://127.0.0.1/mcp", token: stack.token, fetch: throughStack };

    const shown = await postToolCall(gateway, { name: "run_get", arguments: { run_id: made?.run_id } });

    const outputs = expect.arrayContaining([expect.objectContaining({ role: "artifact" })]);
    expect(shown).toMatchObject({
      status: "success",
      output: { run_id: made?.run_id, state: "succeeded", result: made?.output, outputs },
    });
  });

  test("ends the attempt that was open", async () => {
    const ended = await eventually(async () => {
      const rows = await database.rows("select state from attempts where run_id = $1 and ended_at is not null", [
        fixture.open,
      ]);
      return rows.length > 0 && rows;
    });

    expect(ended).toEqual([{ state: "failed" }]); // its deadline was long ago
    expect(await database.rows("select * from leases")).toEqual([]);
  });

  test.each(fixture.projects)("lists and counts every old artifact of $id (A16, A39)", async ({ id, artifacts }) => {
    const answer = await stack.call("artifact_list", { logs: true }, { project: id });

    const { output } = Listed.parse(answer);
    const old = new Set<string>(fixture.made.filter(({ project }) => project === id).map(({ run_id }) => run_id));
    expect(output.artifacts.filter(({ created_by_run }) => old.has(created_by_run))).toHaveLength(artifacts);
    const [counted] = await database.rows<{ n: number }>(
      "select count(*)::int as n from artifacts where project = $1 and type <> 'log'",
      [id],
    );
    expect(output.as_of.artifact_count).toBe(counted?.n);
  });

  test("goes on counting where it was", async () => {
    const fresh = await stack.call("artifact_import", { content: "after the upgrade\n", type: "text" });

    expect(fresh.status).toBe("success");
    const wrong = await database.rows(
      `select id from projects where artifact_count <> (select count(*) from artifacts where project = id and tombstoned_at is null and type <> 'log')
       or artifact_seq < (select max(seq) from artifacts where project = id)`,
    );
    expect(wrong).toEqual([]);
    const [row] = await database.rows<{ run_seq: number }>("select run_seq::int from runs where run_id = $1", [
      fresh.run_id,
    ]);
    expect(row?.run_seq).toBeGreaterThan(fixture.projects.find(({ id }) => id === "default")?.run_seq ?? Infinity);
    const audited = await database.rows<{ seq: number }>("select seq from audit");
    expect(new Set(audited.map(({ seq }) => seq)).size).toBe(audited.length);
  });
});

const Listed = z.object({
  output: z.object({
    artifacts: z.array(z.object({ created_by_run: z.string() })),
    as_of: z.object({ artifact_count: z.int() }),
  }),
});
