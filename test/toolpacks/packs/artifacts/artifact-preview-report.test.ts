import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reportOf } from "../../../../toolpacks/packs/artifacts/report-of.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { imported, outputOf } from "./imported.ts";

type Report = {
  title: string | null;
  outline: { level: number; text: string }[];
  text: string;
  tables: { rows: string[][]; rows_total: number }[];
  truncated: boolean;
};

let stack: TestStack;

beforeAll(async () => {
  stack = await createStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function preview(content: string | Buffer): Promise<Report> {
  const { artifact_id } = await imported(stack, content);
  return outputOf<Report>(await stack.call("artifact_preview_report", { artifact_id }));
}
const read = (html: string) => reportOf(html, new AbortController().signal);

const report = `<!DOCTYPE html>
<html><head><title>Quality &amp; more</title><style>h1 { color: red }</style><script>var hidden = "<h1>no</h1>";</script></head>
<body onload="steal()"><h1>Summary</h1><!-- a remark --><p>All <b>samples</b>
passed.</p><h2 onclick="evil()">Samples</h2>
<table><thead><tr><th>Sample<th>Reads</thead><tbody><tr><td>A</td><td>1,000</td></tr><tr><td>B &gt; C<td>2</table>
<p>p &lt; 0.05</p><noscript>switch it on</noscript><svg><title>a drawing</title><text>lines</text></svg></body></html>`;

test("a report is shown as its title, outline, text and tables (A3, A39)", async () => {
  const { title, outline, text, tables, truncated } = await preview(report);

  expect(title).toBe("Quality & more");
  expect(outline).toEqual([
    { level: 1, text: "Summary" },
    { level: 2, text: "Samples" },
  ]);
  expect(text).toBe("Summary\nAll samples passed.\nSamples\n[table 1]\np < 0.05");
  expect(tables).toEqual([
    {
      rows: [
        ["Sample", "Reads"],
        ["A", "1,000"],
        ["B > C", "2"],
      ],
      rows_total: 3,
    },
  ]);
  expect(truncated).toBe(false);
});

test("a gzipped report looks as it does unpacked", async () => {
  const { title, text } = await preview(gzipSync(report));

  expect({ title, text }).toEqual({ title: "Quality & more", text: expect.stringContaining("All samples passed.") });
});

test.each([
  ["a script", "<script>alert(1)</script>after", "after"],
  ["a script that is not closed", "before<script>alert(1)", "before"],
  ["a script in odd clothes", "a<ScRiPt\n>alert(1)</sCrIpT >b", "ab"],
  ["an event handler", '<img src=x onerror="alert(1)">shown', "shown"],
  ["an address that is a script", '<a href="javascript:alert(1)">link</a>', "link"],
  ["a frame with content", '<iframe srcdoc="<p>x">inside</iframe>out', "out"],
  ["tags spelt with entities", "&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;script>alert(1)&lt;/script>"],
  ["terminal escapes", "a\u001b[2Jb&#27;[31mc&#x202e;d", "a\u241b[2Jb\u241b[31mc\u2421d"],
  ["half a character", "x&#xD800;y", expect.stringMatching(/^x.?y$/)],
])("%s is harmless (A3)", async (_name, html, text) => {
  expect((await read(html)).text).toEqual(text);
});

test("everything has a most: a long report is cut, and says so (A3)", async () => {
  const rows = "<tr><td>cell</td></tr>".repeat(300);
  const long = `${"<h2>ä heading</h2><p>And some words.</p>".repeat(1_500)}${`<table>${rows}</table>`.repeat(15)}`;

  const output = await preview(long);

  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(32_768);
  expect(output.truncated).toBe(true);
  expect(output.outline.length).toBeGreaterThan(50);
  expect(output.tables[0]).toMatchObject({ rows_total: 300 });
});

test("what is not text is no report", async () => {
  const { artifact_id } = await imported(stack, Buffer.from([1, 0, 2]));

  expect(await stack.call("artifact_preview_report", { artifact_id })).toMatchObject({ error: { code: "D-DATA-002" } });
});

test("reading never fails, whatever the tags are, and never shows a control character", async () => {
  const tags = "table tr td th h1 p div script style title svg b br li form select".split(" ");
  const tag = fc.constantFrom(...tags.flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} x="`, `<${name}/>`]));
  const part = fc.oneof(tag, fc.string({ maxLength: 5 }), fc.constant("<!--"), fc.constant("&#0;"));

  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 60 }), async (parts) => {
      const { text, outline, tables } = await read(parts.join(""));
      expect(
        [text, ...outline.map((heading) => heading.text), ...tables.flatMap(({ rows }) => rows.flat())].join(""),
      ).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    }),
  );
});
