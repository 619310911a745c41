import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalJson } from "../../../../toolpacks/contract/canonical-json.ts";
import { sha256Hex } from "../../../../toolpacks/contract/hash.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { imported, outputOf, type Imported } from "./imported.ts";

type Made = { artifact_id: string; files_total: number; bytes_total: number };
type Opened = Made & { entries: { path: string; sha256: string; bytes: number }[]; next_cursor: string | null };
type File = { file: { artifact_id: string; type: string; sha256: string } };

let stack: TestStack;
let csv: Imported;
let text: Imported;

beforeAll(async () => {
  stack = await createStack();
  csv = await imported(stack, "a,b\n1,2\n");
  text = await imported(stack, "hello");
});
afterAll(() => stack[Symbol.asyncDispose]());

const tree = (input: object, project = "default") => stack.call("artifact_tree", input, { project });
const entries = (...paths: string[]) => paths.map((path) => ({ path, artifact_id: text.artifact_id }));

test("several artifacts become one, known by its files, and its files stay linked (A1, A2)", async () => {
  const both = [
    { path: "results/table.csv", artifact_id: csv.artifact_id },
    { path: "README", artifact_id: text.artifact_id },
  ];

  const answer = await tree({ entries: both, label: "results" });
  const inOtherOrder = await tree({ entries: both.toReversed(), label: "results" });

  const made = outputOf<Made>(answer);
  expect(made).toMatchObject({ files_total: 2, bytes_total: 13 });
  expect(inOtherOrder).toMatchObject({ run_id: answer.run_id, provenance: { replayed: true } });
  const manifest = canonicalJson([
    { path: "README", sha256: text.sha256, bytes: 5 },
    { path: "results/table.csv", sha256: csv.sha256, bytes: 8 },
  ]);
  expect(await stack.call("artifact_get", { artifact_id: made.artifact_id })).toMatchObject({
    output: { type: "tree", sha256: sha256Hex(manifest), bytes: manifest.length },
  });
  const files = await stack.database.rows(
    "select path, sha256, bytes::int from tree_files where tree_sha256 = $1 order by path",
    [sha256Hex(manifest)],
  );
  expect(files).toEqual(JSON.parse(manifest));
  const inputs = await stack.database.rows("select role, artifact_id from run_inputs where run_id = $1 order by role", [
    answer.run_id,
  ]);
  expect(inputs).toEqual([
    { role: "file-0001", artifact_id: text.artifact_id },
    { role: "file-0002", artifact_id: csv.artifact_id },
  ]);
});

test("an opened tree lists its files; one of them becomes the artifact that it was (A2, A3)", async () => {
  const { artifact_id } = outputOf<Made>(
    await tree({ entries: [{ path: "x/table.csv", artifact_id: csv.artifact_id }, ...entries("y.txt")] }),
  );

  const opened = outputOf<Opened>(await tree({ artifact_id }));
  const one = await tree({ artifact_id, path: "x/table.csv" });
  const declared = outputOf<File>(await tree({ artifact_id, path: "x/table.csv", type: "text" }));

  expect(opened).toEqual({
    artifact_id,
    files_total: 2,
    bytes_total: 13,
    entries: [
      { path: "x/table.csv", sha256: csv.sha256, bytes: 8 },
      { path: "y.txt", sha256: text.sha256, bytes: 5 },
    ],
    next_cursor: null,
  });
  expect(outputOf<File>(one).file).toMatchObject({ artifact_id: csv.artifact_id, type: "csv", sha256: csv.sha256 });
  expect(declared.file.type).toBe("text");
  expect(
    await stack.call("artifact_preview_table", { artifact_id: outputOf<File>(one).file.artifact_id }),
  ).toMatchObject({
    output: { rows: [["1", "2"]] },
  });
  const links = await stack.database.rows("select role, artifact_id from run_inputs where run_id = $1", [one.run_id]);
  expect(links).toEqual([{ role: "tree", artifact_id }]);
});

test("a large tree is listed page by page, in answers that stay small (A3)", { timeout: 120_000 }, async () => {
  const paths = Array.from({ length: 2_000 }, (_, n) => `folder-${n % 7}/${"long-".repeat(20)}${n}.txt`);
  const { artifact_id } = outputOf<Made>(await tree({ entries: entries(...paths) }));

  const seen: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const answer = await tree({ artifact_id, ...(cursor !== undefined && { cursor }) });
    const page = outputOf<Opened>(answer);
    seen.push(...page.entries.map(({ path }) => path));
    sizes.push(Buffer.byteLength(JSON.stringify(page)));
    cursor = page.next_cursor;
  }

  expect(seen).toEqual(paths.toSorted());
  expect(Math.max(...sizes)).toBeLessThan(32_768);
});

test("as many as ten thousand files fit into a tree, and no more", { timeout: 120_000 }, async () => {
  const paths = Array.from({ length: 10_000 }, (_, n) => `${n}`);

  const full = await tree({ entries: entries(...paths) });
  const over = await tree({ entries: entries(...paths, "one-more") });

  expect(outputOf<Made>(full)).toMatchObject({ files_total: 10_000, bytes_total: 50_000 });
  expect(over).toMatchObject({ error: { code: "I-REQ-001", details: { violations: [{ pointer: "/entries" }] } } });
  expect(
    await stack.database.rows("select count(*)::int as n from run_inputs where run_id = $1", [full.run_id]),
  ).toEqual([{ n: 10_000 }]);
});

test("a file whose own artifact was removed is still in the tree, and comes back by opening it (A1)", async () => {
  const lone = await imported(stack, "only here");
  const { artifact_id } = outputOf<Made>(await tree({ entries: [{ path: "lone", artifact_id: lone.artifact_id }] }));
  await stack.database.rows("update artifacts set tombstoned_at = now() where artifact_id = $1", [lone.artifact_id]);

  const gone = await stack.call("artifact_get", { artifact_id: lone.artifact_id });
  const removal = stack.database.rows("delete from blobs where sha256 = $1", [lone.sha256]);
  await expect(removal).rejects.toThrow(/tree_files/);
  const opened = outputOf<File>(await tree({ artifact_id, path: "lone" }));

  expect(gone).toMatchObject({ error: { code: "P-PRECOND-001" } });
  expect(opened.file.artifact_id).toBe(lone.artifact_id);
  expect(await stack.call("artifact_preview_text", { artifact_id: lone.artifact_id })).toMatchObject({
    output: { text: "only here" },
  });
});

test("a file of a tree with a flipped bit is found out when it is opened, named with the tree and its run, and healed by importing again (A39)", async () => {
  const lone = await imported(stack, "a bit of a tree");
  const made = await tree({ entries: [{ path: "lone", artifact_id: lone.artifact_id }] });
  const { artifact_id } = outputOf<Made>(made);
  const blob = join(stack.dataDir, "blobs", lone.sha256.slice(0, 2), lone.sha256.slice(2));
  await chmod(blob, 0o644);
  await writeFile(blob, "a bit of a tre\u0064");

  const bad = await tree({ artifact_id, path: "lone" });
  const quarantined = "select 1 from blobs where sha256 = $1 and quarantined_at is not null";
  expect(await stack.database.rows(quarantined, [lone.sha256])).toHaveLength(1);
  await imported(stack, "a bit of a tree");
  const healed = outputOf<File>(await tree({ artifact_id, path: "lone" }));

  const details = { artifact_id, made_by_run: made.run_id, sha256: lone.sha256 };
  expect(bad).toMatchObject({ status: "terminal_error", error: { code: "D-DATA-001", details } });
  expect(healed.file).toMatchObject({ sha256: lone.sha256 });
  expect(await stack.database.rows(quarantined, [lone.sha256])).toEqual([]);
});

test("a tree one of whose files is removed before it is made is not made", async () => {
  const doomed = await imported(stack, "soon gone");
  await stack.stopWorker();
  const pending = tree({ entries: [{ path: "doomed", artifact_id: doomed.artifact_id }] });
  await expect.poll(() => stack.database.rows("select 1 from attempts where ended_at is null")).toHaveLength(1);
  await stack.database.rows("update artifacts set tombstoned_at = now() where artifact_id = $1", [doomed.artifact_id]);
  await stack.startWorker();

  expect(await pending).toMatchObject({ status: "terminal_error", error: { code: "P-PRECOND-001" } });
});

describe("paths", () => {
  test.each([
    ["absolute", ["/etc/passwd"], 0],
    ["upwards", ["ok", "a/../../b"], 1],
    ["here", ["./a"], 0],
    ["with an empty part", ["a//b"], 0],
    ["a folder", ["a/"], 0],
    ["with the other slash", ["a\\b"], 0],
    ["with a line end", ["a\nb"], 0],
    ["with a hidden turn of direction", ["a\u202eb"], 0],
    ["decomposed", ["a\u0308"], 0],
    ["with a part that is too long", ["ä".repeat(128)], 0],
    ["twice", ["a", "a"], 1],
    ["below a file", ["a", "b", "a/b"], 2],
  ])("that are %s are refused, each at its place (A19, C47)", async (_name, paths, index) => {
    expect(await tree({ entries: entries(...paths) })).toMatchObject({
      status: "invalid_request",
      error: { code: "I-REQ-001", details: { violations: [{ pointer: `/entries/${index}/path` }] } },
    });
  });

  test("that look alike without being so are kept apart", async () => {
    expect(outputOf<Made>(await tree({ entries: entries("a", "A", "a b", "ä", "a.b/c") })).files_total).toBe(5);
  });
});

describe("what is no question about a tree", () => {
  let artifact_id: string;
  beforeAll(async () => {
    artifact_id = outputOf<Made>(await tree({ entries: entries("a", "b") })).artifact_id;
  });

  test.each([
    ["neither files nor a tree", () => ({}), ""],
    ["both", () => ({ artifact_id, entries: entries("a") }), ""],
    ["a path with files", () => ({ entries: entries("a"), path: "a" }), "/path"],
    ["a label for what is there", () => ({ artifact_id, label: "x" }), "/label"],
    ["a type without a path", () => ({ artifact_id, type: "text" }), "/type"],
    ["a page of one file", () => ({ artifact_id, path: "a", cursor: "x" }), "/cursor"],
    ["a cursor that is none", () => ({ artifact_id, cursor: "x" }), "/cursor"],
    ["a path that is not in it", () => ({ artifact_id, path: "../a" }), "/path"],
    ["a type that the file has not", () => ({ artifact_id, path: "a", type: "png" }), "/type"],
    ["what is not a tree", () => ({ artifact_id: csv.artifact_id }), "/artifact_id"],
    ["a tree in a tree", () => ({ entries: [{ path: "a", artifact_id }] }), "/entries"],
  ])("%s is refused with the place that is wrong (A19, C47)", async (_name, input, pointer) => {
    expect(await tree(input())).toMatchObject({
      status: "invalid_request",
      error: { code: "I-REQ-001", details: { violations: [{ pointer }] } },
    });
  });

  test("trees and files of another project are not found, like those that never were", async () => {
    const foreign = await imported(stack, "theirs", { project: "lab-b" });

    const answers = await Promise.all([
      tree({ artifact_id }, "lab-b"),
      tree({ artifact_id, path: "a" }, "lab-b"),
      tree({ entries: [...entries("a"), { path: "b", artifact_id: foreign.artifact_id }] }),
    ]);

    expect(answers.map((answer) => ("error" in answer ? answer.error.code : "")).join(" ")).toBe(
      "P-PRECOND-001 P-PRECOND-001 P-PRECOND-001",
    );
  });
});
