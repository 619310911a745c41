import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentOf, typeOf } from "../../../../toolpacks/packs/artifacts/detect-type.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { imported } from "./imported.ts";
import { bgzfOf, tinyFiles, tinyTexts } from "./tiny-files.ts";

const headBytes = 4_096;
const detected = async (file: Buffer) =>
  typeOf(await contentOf({ head: file.subarray(0, headBytes), bytes: file.length }));

describe("what a file is, told from its first bytes", async () => {
  test.each(Object.entries(await tinyFiles()))("%s", async (type, file) => {
    expect(await detected(file)).toBe(type);
  });

  const long = (line: string) => line.repeat(Math.ceil((3 * headBytes) / line.length));
  test.each([
    ["a long read that ends beyond the first bytes", `@read\n${long("ACGT")}\n+\n${long("IIII")}\n`, "fastq"],
    ["a chromosome on one line", `>chr1\n${long("ACGT")}`, "fasta"],
    [
      "a large JSON document",
      JSON.stringify(Array.from({ length: 999 }, (_, n) => ({ n, s: 'a\\"b', x: -1.5 }))),
      "json",
    ],
    ["a JSON document that begins with a long string", JSON.stringify([long("x")]), "json"],
    ["lines of JSON, which are no one document", long('{"a":1}\n'), "text"],
    ["what only begins like JSON", `{"a": 1, ${long("b ")}`, "text"],
    ["a large table", `a,b\n${long('"x, y",2\n')}`, "csv"],
    ["a table with semicolons", "a;b\n1;2\n", "csv"],
    ["a table with a byte order mark", "\ufeffa,b\n1,2\n", "csv"],
    ["lines of different length", "a,b\n1,2,3\n", "text"],
    ["prose with commas", "Dear all, hello\nthere, and bye\n", "text"],
    ["a quoted mail", "> you wrote\n> something\n", "text"],
    ["an alignment without header", "r1\t0\tchr1\t7\t30\t4M\t*\t0\t0\tACGT\tIIII\n", "sam"],
    ["comments before a report, as many as one likes", `${"<!---->".repeat(400)}<html><body>`, "html"],
    ["comments without end", "<!--".repeat(900), "text"],
    ["nothing", "", "text"],
    ["text in an old encoding", Buffer.from([0x4d, 0xfc, 0x6c, 0x6c]), "binary"],
    ["a table in blocks of gzip", bgzfOf(Buffer.from(tinyTexts.vcf)), "vcf.gz"],
    ["a gzipped bomb", gzipSync(Buffer.alloc(50_000_000, "a,b\n")), "csv.gz"],
    ["a gzip that breaks off at once", Buffer.from([0x1f, 0x8b, 8, 255, 1]), "gzip"],
  ])("%s", async (_name, content, type) => {
    expect(await detected(Buffer.from(content))).toBe(type);
  });

  test("never fails, whatever the bytes are", async () => {
    const starts = fc.constantFrom("", "{", "[1,", ">a\n", "@a\nC\n", "<!--", "\u001f\u008b\b\u0004", "RIFF", "a,b\n");
    await fc.assert(
      fc.asyncProperty(starts, fc.uint8Array({ maxLength: 600 }), fc.boolean(), async (start, bytes, cut) => {
        const head = Buffer.concat([Buffer.from(start, "latin1"), bytes]);
        expect(typeOf(await contentOf({ head, bytes: head.length + Number(cut) }))).toMatch(/^[a-z.]+$/);
      }),
      { numRuns: 500 },
    );
  });

  test("calls every JSON document JSON, wherever it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json().filter((text) => /^[{[]/.test(text)),
        fc.nat(),
        async (text, where) => {
          const head = Buffer.from(text.slice(0, 1 + (where % text.length)).toWellFormed());
          const content = await contentOf({ head, bytes: head.length + 1 });
          expect(typeOf(content)).toBe("json");
        },
      ),
    );
  });
});

describe("a declared type", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await createStack();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test.each([
    ["text", tinyTexts.csv],
    ["csv", "one column\nonly\n"],
    ["json", "42"],
    ["html", "<p>a fragment"],
    ["fasta", ">gapped\nAC GT 10\n"],
    ["fastq", ""],
    ["binary", tinyTexts.text],
    ["gzip", gzipSync(tinyTexts.csv)],
    ["csv.gz", gzipSync(tinyTexts.csv)],
    ["bed", "chr1\t1\t2\n"],
  ])("%s is taken where the content may be called so", async (type, content) => {
    expect((await imported(stack, content, { type })).type).toBe(type);
  });

  test.each([
    ["png", tinyTexts.text, "is declared png, but the content is text."],
    ["text", Buffer.from([0, 1]), "is declared text, but the content is binary."],
    ["json", tinyTexts.csv, "is declared json, but the content is csv."],
    ["csv", tinyTexts.json, "is declared csv, but the content is json."],
    ["tsv", tinyTexts.csv, "is declared tsv, but the content is csv."],
    ["fasta", tinyTexts.fastq, "is declared fasta, but the content is fastq."],
    ["vcf", tinyTexts.tsv, "is declared vcf, but the content is tsv."],
    ["csv", gzipSync(tinyTexts.csv), "is declared csv, but the content is csv.gz."],
    ["bam", gzipSync("BAM\u0001 but no blocks"), "is declared bam, but the content is text.gz."],
    ["log", "my own log", "log is a type that only Helixrun itself gives."],
    ["tree", "[]", "tree is a type that only Helixrun itself gives."],
  ])("%s is refused where the content is something else (A19, C47)", async (type, content, message) => {
    const input = { content: Buffer.from(content).toString("base64"), encoding: "base64", type };

    const answer = await stack.call("artifact_import", input);

    expect(answer).toMatchObject({
      status: "invalid_request",
      run_id: null,
      error: { code: "I-REQ-001", details: { violations: [{ pointer: "/type", message }] } },
    });
  });
});
