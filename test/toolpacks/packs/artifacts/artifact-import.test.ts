import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../../toolpacks/contract/envelope.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await createStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

type Imported = { artifact_id: string; sha256: string; bytes: number; type: string; label: string };

function outputOf(answer: Answer): Imported {
  if (answer.status !== "success") throw new Error(JSON.stringify(answer));
  return answer.output as Imported;
}

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const blobOf = (hash: string) => readFile(join(stack.dataDir, "blobs", hash.slice(0, 2), hash.slice(2)));
const temporaryFiles = async () => (await readdir(join(stack.dataDir, "blobs", "tmp", "gateway"))).length;

test("a file of the inbox becomes an artifact, known by its content (A4, A7)", async () => {
  await writeFile(join(stack.inbox, "reads.txt"), "ACGT\n");

  const answer = await stack.call("artifact_import", { path: "reads.txt" });

  expect(outputOf(answer)).toMatchObject({ sha256: sha256("ACGT\n"), bytes: 5, type: "text", label: "imported" });
  expect((await blobOf(sha256("ACGT\n"))).toString()).toBe("ACGT\n");
});

test("no path of this machine is kept anywhere in the ledger (A7)", async () => {
  await writeFile(join(stack.inbox, "secret-name.txt"), "where was it?");
  const { run_id } = await stack.call("artifact_import", { path: join(stack.inbox, "secret-name.txt") });

  const stored = await stack.database.rows<{ params: Buffer; order: Buffer; result: Buffer }>(
    `select bytes as params, work_order as order, result from runs join attempts using (run_id) join param_sets on hash = params_hash where run_id = $1`,
    [run_id],
  );

  expect(stored).toHaveLength(1);
  expect(Object.values(stored[0] ?? {}).join("\n")).not.toMatch(/secret-name|inbox\//);
});

test("a run keeps tool, contract, params, policy, links, log and result (A33, A34, A35, A36, A37, A12)", async () => {
  const answer = await stack.call("artifact_import", { content: "kept", label: "a label" });

  const [run] = await stack.database.rows(
    `select tool, contract_version, tool_version, length(digest) as digest, p.hash = policy_hash as policy, s.hash = params_hash as params, convert_from(s.bytes, 'utf8')::json as canonical
     from runs join policies p on p.hash = policy_hash join param_sets s on s.hash = params_hash where run_id = $1`,
    [answer.run_id],
  );
  const outputs = await stack.database.rows(
    "select role, label, type, sha256 from run_outputs join artifacts using (artifact_id) where run_id = $1 order by role",
    [answer.run_id],
  );
  const [attempt] = await stack.database.rows<{ result: Buffer }>("select result from attempts where run_id = $1", [
    answer.run_id,
  ]);

  expect(run).toMatchObject({
    tool: "artifact_import",
    contract_version: "v1",
    tool_version: "1.0.0",
    digest: 64,
    policy: true,
    params: true,
  });
  expect(run?.["canonical"]).toMatchObject({
    sys: { project: "default" },
    params: { sha256: sha256("kept"), label: "a label" },
  });
  expect(outputs).toMatchObject([
    { role: "artifact", label: "a label", sha256: sha256("kept") },
    { role: "log", label: "log", type: "log" },
  ]);
  expect(JSON.parse(String(attempt?.result))).toEqual(outputOf(answer));
  const log = (await blobOf(String(outputs[1]?.["sha256"]))).toString().trim().split("\n");
  expect(log.length).toBeGreaterThanOrEqual(3);
  expect(log.every((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z \+\d+ms \S/.test(line))).toBe(true);
});

test("a changed file under the same path is a new run and a new artifact (A14)", async () => {
  await writeFile(join(stack.inbox, "changing.txt"), "one");
  const one = await stack.call("artifact_import", { path: "changing.txt" });
  await writeFile(join(stack.inbox, "changing.txt"), "two");

  const two = await stack.call("artifact_import", { path: "changing.txt" });

  expect(two.run_id).not.toBe(one.run_id);
  expect(outputOf(two).artifact_id).not.toBe(outputOf(one).artifact_id);
  expect(outputOf(two).sha256).toBe(sha256("two"));
});

test("the same bytes from a file and given directly are one run and one artifact: params hold the checksum, not the way (A14, T17)", async () => {
  await writeFile(join(stack.inbox, "same.txt"), "the same bytes");

  const file = await stack.call("artifact_import", { path: "same.txt" });
  const direct = await stack.call("artifact_import", { content: "the same bytes" });

  expect(direct).toMatchObject({ run_id: file.run_id, provenance: { replayed: true } });
});

test("the same bytes in two projects are two artifacts over one blob", async () => {
  const here = await stack.call("artifact_import", { content: "shared bytes" });
  const there = await stack.call("artifact_import", { content: "shared bytes" }, { project: "lab-a" });

  expect(outputOf(there).artifact_id).not.toBe(outputOf(here).artifact_id);
  expect(there.run_id).not.toBe(here.run_id);
  const blobs = await stack.database.rows("select count(*)::int as n from blobs where sha256 = $1", [
    sha256("shared bytes"),
  ]);
  expect(blobs).toEqual([{ n: 1 }]);
});

test("sequence numbers of a project follow the order of commits without a double (A35)", async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      stack.call("artifact_import", { content: `sequence ${n}` }, { project: "counted" }),
    ),
  );

  const [counted] = await stack.database.rows(
    "select count(*)::int as n, count(distinct seq)::int as distinct, max(seq)::int as last, (select artifact_seq::int from projects where id = 'counted') as counter from artifacts where project = 'counted'",
  );

  expect(counted).toEqual({ n: 40, distinct: 40, last: 40, counter: 40 });
});

describe("what is not a file to import", () => {
  test.each([
    ["../escape", "A-AUTH-006"],
    ["/etc/passwd", "A-AUTH-006"],
    ["nowhere.txt", "I-REQ-006"],
    ["a-link", "I-REQ-006"],
    ["a-pipe", "I-REQ-006"],
    ["a-folder", "I-REQ-006"],
    ["huge-sparse", "I-REQ-003"],
  ])("%s is refused with %s, and nothing is left behind (A5, A20)", async (path, code) => {
    await symlink("/etc/passwd", join(stack.inbox, "a-link")).catch(() => undefined);
    await mkdir(join(stack.inbox, "a-folder"), { recursive: true });
    execFileSync("sh", ["-c", `[ -p "$0" ] || mkfifo "$0"`, join(stack.inbox, "a-pipe")]);
    await writeFile(join(stack.inbox, "huge-sparse"), "");
    await truncate(join(stack.inbox, "huge-sparse"), 6 * 2 ** 30);
    const [before] = await stack.database.rows("select count(*) from runs");

    const answer = await stack.call("artifact_import", { path });

    expect(answer).toMatchObject({ run_id: null, error: { code } });
    expect(await stack.database.rows("select count(*) from runs")).toEqual([before]);
    expect(await temporaryFiles()).toBe(0);
  });

  test("an empty file is one, and is imported", async () => {
    await writeFile(join(stack.inbox, "empty"), "");

    expect(outputOf(await stack.call("artifact_import", { path: "empty" }))).toMatchObject({
      bytes: 0,
      sha256: sha256(""),
    });
  });

  test.each([
    ["neither path nor content", {}, ""],
    ["both path and content", { path: "a", content: "b" }, ""],
    ["an encoding for a path", { path: "a", encoding: "utf8" }, "/encoding"],
    ["a root for content", { content: "a", root: "inbox" }, "/root"],
    ["what is not base64", { content: "?!", encoding: "base64" }, "/content"],
  ])("%s is refused with the place that is wrong (A19, C47)", async (_name, input, pointer) => {
    const answer = await stack.call("artifact_import", input);

    expect(answer).toMatchObject({
      status: "invalid_request",
      error: { code: "I-REQ-001", details: { violations: [{ pointer }] } },
    });
  });
});

test("bytes that are not text are told from text, and base64 carries them", async () => {
  const bytes = Buffer.from([0, 1, 2, 255]);

  const answer = await stack.call("artifact_import", { content: bytes.toString("base64"), encoding: "base64" });

  expect(outputOf(answer)).toMatchObject({ type: "binary", bytes: 4, sha256: sha256(bytes) });
});

test("a blob that the store has lost comes back when the same bytes are imported again", async () => {
  const answer = await stack.call("artifact_import", { content: "lost and found" });
  const { sha256: hash } = outputOf(answer);
  execFileSync("rm", ["-f", join(stack.dataDir, "blobs", hash.slice(0, 2), hash.slice(2))]);

  const again = await stack.call("artifact_import", { content: "lost and found" });

  expect(again).toMatchObject({ status: "success", provenance: { replayed: true } });
  expect((await blobOf(hash)).toString()).toBe("lost and found");
});
