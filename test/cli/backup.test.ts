import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { backupIn, fixtureFolder } from "../upgrade/fixture.ts";
import { eventually, helixrun, processesOf, temporaryDirectory } from "./kit.ts";

const fixture = backupIn(fixtureFolder("0001"));

async function emptyDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

async function ran(...args: string[]) {
  const command = helixrun(args);
  const { code } = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

describeWith("postgres", "helixrun backup and restore", () => {
  test("a stopped installation is restored and backed up by PostgreSQL alone, without a word but the result", async () => {
    const [dataDir, elsewhere] = [await emptyDirectory(), await emptyDirectory()];

    const restored = await ran("restore", fixture, "--data", dataDir, "--json");
    const backup = await ran("backup", join(elsewhere, "new"), "--data", dataDir);

    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(restored.stdout)).toMatchObject({ dataDir, level: "0001-spine.sql", left_out: [] });
    expect(backup).toMatchObject({ code: 0, stderr: "" });
    expect(backup.stdout).toMatch(/^backup of .*\n {2}ledger {2}\d+ rows in \d+ tables, level .*\n {2}blobs {3}12, /);
    expect(processesOf(dataDir)).toEqual([]);
    expect(existsSync(join(dataDir, "credentials/local.json"))).toBe(true);
    expect(existsSync(join(dataDir, "restoring.json"))).toBe(false);
  });

  test("nothing is served from a directory whose restore was killed, and it is said how to start again", async () => {
    const dataDir = await emptyDirectory();
    const killed = helixrun(["restore", fixture, "--data", dataDir]);
    await eventually(() => existsSync(join(dataDir, "postgres.json")));
    killed.process.kill("SIGKILL");
    await killed.ended;
    await eventually(() => processesOf(dataDir).length === 0);

    const up = await ran("up", "--data", dataDir);
    const again = await ran("restore", fixture, "--data", dataDir);
    const backup = await ran("backup", join(await emptyDirectory(), "new"), "--data", dataDir);

    const words = `the restore into ${dataDir} was not completed, nothing is served from it. Fix: rm -r ${dataDir}`;
    expect([up, again, backup]).toMatchObject([up, again, backup].map(() => ({ code: 4 })));
    expect([up.stderr, again.stderr, backup.stderr]).toEqual(Array(3).fill(expect.stringContaining(words)));
    expect(processesOf(dataDir)).toEqual([]);

    await rm(dataDir, { recursive: true });
    expect(await ran("restore", fixture, "--data", dataDir)).toMatchObject({ code: 0 });
  });

  test("a damaged backup is refused before anything is written", async () => {
    const [copy, parent] = [join(await emptyDirectory(), "copy"), await emptyDirectory()];
    const dataDir = join(parent, "new");
    await mkdir(copy);
    await writeFile(join(copy, "backup.json"), await readFile(join(fixture, "backup.json")));

    const { code, stderr } = await ran("restore", copy, "--data", dataDir);

    expect(code).toBe(4);
    expect(stderr).toContain("nothing was written");
    expect(stderr).toContain("ledger/runs.copy is missing");
    expect(readdirSync(parent)).toEqual([]);
  });

  test.each([
    ["a restore into a directory with files", (at: string) => ["restore", fixture, "--data", at], /--data NEW_DIR/],
    ["a backup into one", (at: string) => ["backup", at], /holds files: not a complete backup/],
    ["a backup beside an older one", () => ["backup", fixture], /holds a backup\. Fix: name an empty/],
    ["a backup into the data directory", (at: string) => ["backup", join(at, "b"), "--data", at], /lies in the data/],
    ["a backup of nothing", (at: string) => ["backup", `${at}-b`, "--data", at], /there is no ledger in/],
  ])("%s is refused with what to do", async (_, argumentsIn, words) => {
    const directory = await emptyDirectory();
    await writeFile(join(directory, "note.txt"), "mine");

    const { code, stderr } = await ran(...argumentsIn(directory));

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(words) });
    expect(readdirSync(directory)).toEqual(["note.txt"]);
  });
});
