import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tableOf } from "../../../../toolpacks/packs/artifacts/table-of.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { imported, outputOf } from "./imported.ts";

type Table = {
  columns: { name: string; type: string }[];
  rows: string[][];
  rows_total: number | null;
  truncated: boolean;
};

let stack: TestStack;

beforeAll(async () => {
  stack = await createStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function preview(content: string | Buffer, options: object = {}): Promise<Table> {
  const { artifact_id } = await imported(stack, content);
  return outputOf<Table>(await stack.call("artifact_preview_table", { artifact_id, ...options }));
}

const counts = 'gene,count,p,seen,note\n"BRCA1, long",3,0.05,2026-01-02,"two\nlines"\nTP53,-4,1e-9,2026-02-03,NA\n';

test("a table is shown as its columns with their types and its first rows (A3, A39)", async () => {
  expect(await preview(counts)).toMatchObject({
    delimiter: ",",
    header: true,
    columns: [
      { name: "gene", type: "text" },
      { name: "count", type: "integer" },
      { name: "p", type: "number" },
      { name: "seen", type: "date" },
      { name: "note", type: "text" },
    ],
    rows: [
      ["BRCA1, long", "3", "0.05", "2026-01-02", "two\nlines"],
      ["TP53", "-4", "1e-9", "2026-02-03", "NA"],
    ],
    rows_total: 2,
    columns_total: 5,
    ragged_total: 0,
    gzipped: false,
    truncated: false,
  });
});

test("a gzipped table looks as it does unpacked (A3)", async () => {
  const { gzipped, bytes_total: _, ...packed } = (await preview(gzipSync(counts))) as Table & Record<string, unknown>;
  const plain = await preview(counts);

  expect(gzipped).toBe(true);
  expect(plain).toMatchObject({ ...packed, artifact_id: expect.any(String) });
});

describe("tables of every sort", () => {
  test.each([
    ["tabs", "a\tb\n1\t2\n", {}, { delimiter: "\t", rows: [["1", "2"]] }],
    ["semicolons", "a;b\n1,5;2\n", {}, { delimiter: ";", rows: [["1,5", "2"]] }],
    [
      "Windows line ends and a byte order mark",
      "\ufeffa,b\r\n1,2\r\n",
      {},
      { columns: [{ name: "a" }, { name: "b" }], rows: [["1", "2"]] },
    ],
    [
      "no header",
      "1,2\n3,4\n",
      {},
      {
        header: false,
        columns: [{ name: "column_1" }, { name: "column_2" }],
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
      },
    ],
    [
      "a header that is said to be none",
      "a,b\nc,d\n",
      { header: false },
      {
        rows: [
          ["a", "b"],
          ["c", "d"],
        ],
      },
    ],
    ["a delimiter that is told", "a|b\n1|2\n", { delimiter: "|" }, { rows: [["1", "2"]] }],
    [
      "rows of another length",
      "a,b\n1,2\n1\n1,2,3\n",
      { delimiter: "," },
      {
        ragged_total: 2,
        ragged: [
          { row: 2, fields: 1 },
          { row: 3, fields: 3 },
        ],
      },
    ],
    [
      "a quote that is never closed",
      'a,b\n"1,2\n3,4\n',
      {},
      {
        rows: [
          ['"1', "2"],
          ["3", "4"],
        ],
      },
    ],
    [
      "fewer rows than there are",
      "a,b\n1,2\n3,4\n",
      { max_rows: 1 },
      { rows: [["1", "2"]], rows_total: 2, truncated: true },
    ],
    [
      "fewer columns than there are",
      "a,b\n1,2\n3,4\n",
      { max_columns: 1 },
      { columns: [{ name: "a" }], rows: [["1"], ["3"]], columns_total: 2, truncated: true },
    ],
    ["long cells", "a,b\n1,123456789\n", { max_cell: 8 }, { rows: [["1", "1234567…"]] }],
    ["nothing", "", {}, { columns: [], rows: [], rows_total: 0, truncated: false }],
  ])("%s", async (_name, content, options, expected) => {
    expect(await preview(content, options)).toMatchObject(expected);
  });
});

test("cells are harmless to show: control characters become pictures (A3)", async () => {
  const { columns, rows } = await preview('a,"\u001b]0;title\u0007"\n"\u202eevil",\u001b[2J\n', { header: true });

  expect([columns[1]?.name, ...rows.flat()]).toEqual(["\u241b]0;title\u2407", "\u2421evil", "\u241b[2J"]);
});

test("what is not text is no table", async () => {
  const { artifact_id } = await imported(stack, Buffer.from([1, 0, 2]));

  const answer = await stack.call("artifact_preview_table", { artifact_id });

  expect(answer).toMatchObject({ status: "terminal_error", error: { code: "D-DATA-002" } });
});

test("a table is read as it was written, and reading never fails", () => {
  const cell = fc.string({
    unit: fc.constantFrom("a", "1", " ", ",", '"', "\n", "ä", "\t", ";"),
    minLength: 1,
    maxLength: 6,
  });
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 });
  const limits = { rows: 100, columns: 100, cell: 500 };
  const quoted = (row: string[]) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(",");

  fc.assert(
    fc.property(rows, (table) => {
      const read = tableOf({ text: table.map(quoted).join("\n"), cut: false, delimiter: ",", header: false }, limits);
      expect(read.rows).toEqual(table);
    }),
  );
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (text, cut) => {
      expect(() => tableOf({ text, cut }, limits)).not.toThrow();
    }),
  );
});
