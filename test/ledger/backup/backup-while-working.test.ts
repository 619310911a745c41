import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { postToolCall } from "../../../cli/mcp-post.ts";
import { blobPathIn } from "../../../ledger/blobs/disk.ts";
import { readAccount } from "../../../ledger/server/account.ts";
import { databaseUrl } from "../../../ledger/server/ready.ts";
import { type Acknowledged, prepareImports, sendImports } from "../../chaos/imports.ts";
import { wholenessOf } from "../../chaos/wholeness.ts";
import { eventually, helixrun } from "../../cli/kit.ts";
import { describeWith } from "../../kit/component.ts";
import { emptyDataDirectory, type Installation, startInstallation } from "../../kit/installation.ts";
import { backUp, directory, drop, restored } from "./kit.ts";

describeWith("temporal", "a backup in the middle of 100 imports by 8 callers", () => {
  let first: Installation;
  beforeAll(async () => {
    first = await startInstallation();
  });
  afterAll(() => first[Symbol.asyncDispose]());

  test("holds all that had been acknowledged, and every blob that its ledger names, whenever it is taken (A39)", async () => {
    const url = await urlOf(first);
    const sending = sendImports(first, await prepareImports(first, "flow", 100), 8);
    const backupAfter = async (count: number) => {
      await sending.acknowledged(count);
      const before = sending.soFar();
      const target = join(await directory(), "backup");
      await backUp(url, first.dataDir, target);
      return { target, before };
    };

    const backups = [await backupAfter(10), await backupAfter(30), await backupAfter(50)];
    const all = await sending.all;

    expect(await Promise.all(backups.map(missingFrom))).toEqual(backups.map(() => nothing));
    expect(all).toHaveLength(100);
    expect(await wholenessOf(first, all)).toMatchObject(nothing);
  });

  test(
    "becomes a stack of its own in which what was open ends and what was done replays, while the first goes on (A38)",
    { timeout: 180_000 },
    async () => {
      const sending = sendImports(first, await prepareImports(first, "open", 100), 8);
      await sending.acknowledged(30);
      await first.signal("worker", "SIGSTOP"); // what is asked now stays open
      const open = await eventually(async () => {
        const rows = await first.query<{ run_id: string }>("select run_id from attempts where ended_at is null");
        return rows.length >= 5 && rows; // two of the eight callers may ask the same
      });
      const before = sending.soFar();
      const backup = join(await directory(), "backup");
      expect(await ran(["backup", backup, "--data", first.dataDir])).toMatchObject({ code: 0, stderr: "" });
      await first.signal("worker", "SIGCONT");

      const dataDir = await emptyDataDirectory();
      expect(await ran(["restore", backup, "--data", dataDir])).toMatchObject({ code: 0, stderr: "" });
      const second = await startInstallation(dataDir);
      onTestFinished(() => second[Symbol.asyncDispose]());

      await eventually(async () => (await wholenessOf(second, before)).unresolvedCalls.length === 0, 60_000);
      expect(await wholenessOf(second, before)).toMatchObject({ ...nothing, openAttempts: [], leases: [] });
      const ended = await second.query<{ run_id: string }>("select run_id from attempts where ended_at is not null");
      expect(ended.map(({ run_id }) => run_id)).toEqual(expect.arrayContaining(open.map(({ run_id }) => run_id)));
      const done = before.filter(({ wanted }) => "content" in wanted.arguments);
      const again = await Promise.all(done.map(({ wanted }) => importAgain(second, wanted.arguments)));
      expect(again).toMatchObject(
        done.map(({ answer }) => ({ run_id: answer.run_id, provenance: { replayed: true } })),
      );
      expect(second.gateway.token).not.toBe(first.gateway.token);

      await importAgain(second, { content: "only in the second" });
      const all = await sending.all;
      expect(await wholenessOf(first, all)).toMatchObject({ ...nothing, refused: [] });
      expect(await sharedFiles(first, second)).toEqual([]);
    },
  );
});

const urlOf = async ({ dataDir, stack }: Installation): Promise<string> => {
  const account = await readAccount(dataDir);
  if (!account) throw new Error(`there is no ledger in ${dataDir}`);
  return databaseUrl((await stack()).ports.postgres, account);
};

const nothing = { lost: [], wrongBlobs: [], absentBlobs: [] };

/** What a backup lacks of all that had been acknowledged before it, and of what its own ledger names. */
async function missingFrom({ target, before }: { target: string; before: Acknowledged[] }) {
  const there = await restored(target);
  try {
    const blobs = join(there.dataDir, "blobs");
    const { lost, wrongBlobs, absentBlobs } = await wholenessOf({ query: there.database.rows, blobs }, before);
    return { lost, wrongBlobs, absentBlobs };
  } finally {
    await drop(there);
  }
}

async function ran(args: string[]) {
  const command = helixrun(args);
  const { code } = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

const importAgain = ({ gateway }: Installation, input: Record<string, string>) =>
  postToolCall(gateway, { name: "artifact_import", arguments: input });

/** Blobs whose file is one and the same in both: written to in one, it would change in the other. */
async function sharedFiles(one: Installation, other: Installation): Promise<string[]> {
  const inode = async (folder: string, sha256: string) => (await stat(blobPathIn(folder, sha256))).ino;
  const rows = await other.query<{ sha256: string }>("select sha256 from blobs");
  const known = new Set((await one.query<{ sha256: string }>("select sha256 from blobs")).map(({ sha256 }) => sha256));
  const both = rows.map(({ sha256 }) => sha256).filter((sha256) => known.has(sha256));
  const same = await Promise.all(
    both.map(async (sha256) => (await inode(one.blobs, sha256)) === (await inode(other.blobs, sha256))),
  );
  return both.filter((_, index) => same[index]);
}
