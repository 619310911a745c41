import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { imported, outputOf } from "./imported.ts";

type Row = { artifact_id: string; type: string; label: string | null; created_at: string; created_by_run: string };
type Page = {
  artifacts: Row[];
  as_of: { created_at: string; artifact_count: number; seq: number };
  cursor: string;
  next_cursor: string | null;
};

let stack: TestStack;

beforeAll(async () => {
  stack = await createStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const list = (input: object, project: string) => stack.call("artifact_list", input, { project });
const page = async (input: object, project: string) => outputOf<Page>(await list(input, project));
const idsOf = ({ artifacts }: Page) => artifacts.map(({ artifact_id }) => artifact_id);

async function several(count: number, project: string, label = "imported"): Promise<string[]> {
  const made: string[] = [];
  for (let n = 0; n < count; n++) made.push((await imported(stack, `${label} ${n}`, { project, label })).artifact_id);
  return made;
}

/** All rows, page by page; `between` happens after every page. */
async function walk(input: object, project: string, between: (n: number) => Promise<unknown> = async () => undefined) {
  const pages = [await page(input, project)];
  for (let last = pages[0]; last?.next_cursor; last = pages.at(-1)) {
    await between(pages.length);
    pages.push(await page({ ...input, cursor: last.next_cursor }, project));
  }
  return pages;
}

test("a list shows the newest first, with what is known of each, and its own boundary (A15, A16, A39)", async () => {
  const made = await several(3, "shown", "a name");

  const answer = await list({}, "shown");

  const output = outputOf<Page>(answer);
  expect(idsOf(output)).toEqual(made.toReversed());
  expect(output.artifacts[0]).toEqual({
    artifact_id: made[2],
    type: "text",
    bytes: 8,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    label: "a name",
    created_at: expect.any(String),
    created_by_run: expect.stringMatching(/^run_/),
  });
  expect(output.as_of).toMatchObject({ artifact_count: 3, seq: 5 }); // logs have numbers, but do not count
  expect(output.next_cursor).toBeNull();
});

test("the snapshot boundary is in the canonical params (T40, A15, A16)", async () => {
  await several(2, "bounded");

  const answer = await list({ type: "text" }, "bounded");

  const [stored] = await stack.database.rows<{ params: { params: object } }>(
    "select convert_from(bytes, 'utf8')::json as params from runs join param_sets on hash = params_hash where run_id = $1",
    [answer.run_id],
  );
  const { as_of } = outputOf<Page>(answer);
  expect(stored?.params.params).toMatchObject({
    as_of_created_at: as_of.created_at,
    artifact_count: 2,
    seq: 3,
    before: null,
    filters: { type: "text", logs: false },
  });
});

test("the same list asked again while nothing has come is replayed: its own log does not count (A15, T40)", async () => {
  await several(2, "unchanged");

  const first = await list({}, "unchanged");
  const again = await list({}, "unchanged");

  expect(again).toMatchObject({ run_id: first.run_id, provenance: { replayed: true } });
});

test("a page asked for again after later imports is the same run with the same answer; a new call sees the new ones (A15, A17, T40)", async () => {
  await several(3, "replayed");
  const first = await list({ limit: 2 }, "replayed");
  const { cursor, next_cursor } = outputOf<Page>(first);
  const second = await list({ limit: 2, cursor: next_cursor }, "replayed");
  const [newest] = await several(1, "replayed", "later");

  const firstAgain = await list({ limit: 2, cursor }, "replayed");
  const secondAgain = await list({ limit: 2, cursor: next_cursor }, "replayed");
  const fresh = await list({ limit: 2 }, "replayed");

  expect(firstAgain).toMatchObject({ run_id: first.run_id, provenance: { replayed: true } });
  expect(outputOf(firstAgain)).toEqual(outputOf(first));
  expect(secondAgain).toMatchObject({ run_id: second.run_id, provenance: { replayed: true } });
  expect(outputOf(secondAgain)).toEqual(outputOf(second));
  expect(idsOf(outputOf(fresh))).toContain(newest);
  expect(fresh.run_id).not.toBe(first.run_id);
});

test("nothing later than its boundary is in a list, even if it is asked for the first time now (A17)", async () => {
  const made = await several(4, "old-page");
  const { next_cursor } = await page({ limit: 2 }, "old-page");
  await several(3, "old-page", "later");

  const second = await page({ limit: 2, cursor: next_cursor }, "old-page");

  expect(idsOf(second)).toEqual([made[1], made[0]]);
});

test("paging while others import drops and doubles nothing (A17)", async () => {
  const made = await several(12, "busy");
  const importing = Promise.all([several(8, "busy", "left"), several(8, "busy", "right")]);

  const pages = await walk({ limit: 3 }, "busy", (n) => several(1, "busy", `between ${n}`));
  await importing;

  const seen = pages.flatMap(idsOf);
  const boundary = pages[0]?.as_of;
  expect(new Set(seen).size).toBe(seen.length);
  expect(made.filter((id) => !seen.includes(id))).toEqual([]);
  expect(pages.map(({ as_of }) => as_of)).toEqual(pages.map(() => boundary));
  const expected = await stack.database.rows<{ id: string }>(
    "select artifact_id as id from artifacts where project = 'busy' and type <> 'log' and seq <= $1 order by seq desc",
    [boundary?.seq],
  );
  expect(seen).toEqual(expected.map(({ id }) => id));
});

describe("filters", () => {
  const project = "filtered";
  let fasta: string;
  let run: string;
  let middle: string;
  beforeAll(async () => {
    const answer = await stack.call("artifact_import", { content: ">a\nACGT\n", label: "reads" }, { project });
    fasta = outputOf<Row>(answer).artifact_id;
    run = String(answer.run_id);
    const [row] = await stack.database.rows<{ now: Date }>("select clock_timestamp() as now");
    middle = row?.now.toISOString().replace("Z", "+00:00") ?? "";
    await several(2, project, "other");
  });

  test.each([
    ["type", () => ({ type: "fasta" }), 1],
    ["label", () => ({ label: "reads" }), 1],
    ["producing run", () => ({ run }), 1],
    ["time before", () => ({ created_before: middle }), 1],
    ["time after", () => ({ created_after: middle }), 2],
    ["what there is none of", () => ({ type: "bam" }), 0],
  ])("by %s", async (_name, filter, count) => {
    expect((await page(filter(), project)).artifacts).toHaveLength(count);
  });

  test("logs of runs are listed only when asked for", async () => {
    const plain = await page({}, project);
    const logs = await page({ type: "log" }, project);
    const both = await page({ logs: true, run }, project);

    expect(plain.artifacts.filter(({ type }) => type === "log")).toEqual([]);
    expect(logs.artifacts.length).toBeGreaterThan(2);
    expect(both.artifacts.map(({ type }) => type).toSorted()).toEqual(["fasta", "log"]);
    expect(idsOf(plain)).toContain(fasta);
  });

  test("of another project nothing is seen", async () => {
    expect((await page({ logs: true }, "nobody-was-here")).artifacts).toEqual([]);
    expect((await page({ run }, "default")).artifacts).toEqual([]);
  });
});

describe("a cursor", () => {
  const project = "cursors";
  let cursor: string;
  beforeAll(async () => {
    await several(3, project);
    await several(3, "cursors-too");
    cursor = (await page({ limit: 1 }, project)).next_cursor ?? "";
  });
  const altered = (change: object) => {
    const { position, check } = JSON.parse(Buffer.from(cursor, "base64url").toString()) as {
      position: object;
      check: string;
    };
    return Buffer.from(JSON.stringify({ position: { ...position, ...change }, check })).toString("base64url");
  };

  test.each([
    ["that is no cursor", () => ({ cursor: "hello" }), project],
    ["of another project", () => ({ cursor }), "cursors-too"],
    ["of other filters", () => ({ cursor, type: "text" }), project],
    ["with another boundary", () => ({ cursor: altered({ seq: 1_000 }) }), project],
    ["with another position", () => ({ cursor: altered({ before: 2 }) }), project],
    ["with something added", () => ({ cursor: altered({ project: "cursors-too" }) }), project],
  ])("%s is refused", async (_name, input, asked) => {
    expect(await list(input(), asked)).toMatchObject({
      status: "invalid_request",
      error: { code: "I-REQ-001", details: { violations: [{ pointer: "/cursor" }] } },
    });
  });

  test("may be followed with another page size", async () => {
    expect((await page({ cursor, limit: 200 }, project)).artifacts).toHaveLength(2);
  });
});

test("an answer stays small: a page ends early rather than grow beyond 32 KiB (A3)", { timeout: 120_000 }, async () => {
  const made: string[] = [];
  const label = "ä".repeat(200);
  for (let n = 0; n < 60; n++)
    made.push((await imported(stack, `large ${n}`, { project: "large", label })).artifact_id);

  const pages = await walk({ limit: 200 }, "large");

  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flatMap(idsOf)).toEqual(made.toReversed());
  expect(pages.filter((one) => Buffer.byteLength(JSON.stringify(one)) > 32_768)).toEqual([]);
});
