import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateSync, gzipSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../../toolpacks/contract/envelope.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { outputOf, type Imported } from "./imported.ts";

// The worker runs in this very process, so its memory is ours. Bounds are three times and more what was measured
// on a busy machine: they tell "bounded" from "as much as the file wants", not fast from slow.
const patienceMs = 20_000;
const megabyte = 1_048_576;

let stack: TestStack;

beforeAll(async () => {
  stack = await createStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const ask = { timeoutMs: 60_000, deadlineInMs: 120_000 };

async function importedFile(name: string, content: string | Uint8Array, size?: number): Promise<Imported> {
  const path = join(stack.inbox, name);
  await writeFile(path, content);
  if (size !== undefined) await truncate(path, size);
  return outputOf<Imported>(await stack.call("artifact_import", { path: name }, ask));
}

type Watched = { answer: Answer; ms: number; grewBy: number };

/** Calls a tool and watches how much memory the process took meanwhile, at most. */
async function watched(tool: string, input: object): Promise<Watched> {
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  const began = performance.now();
  const answer = await stack.call(tool, input, ask);
  clearInterval(watch);
  return { answer, ms: performance.now() - began, grewBy: Math.max(most, process.memoryUsage.rss()) - before };
}

function expectBounded({ answer, ms, grewBy }: Watched, mostMegabytes: number): void {
  expect(ms).toBeLessThan(patienceMs);
  expect(grewBy / megabyte).toBeLessThan(mostMegabytes);
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(40_000);
  expect(stack.faults).toEqual([]);
}

const textTools = ["artifact_preview_text", "artifact_preview_table", "artifact_preview_report"];

describe("a gzip of a megabyte that unpacks to a gigabyte (A3)", () => {
  let bomb: Imported;
  beforeAll(async () => {
    const member = gzipSync(Buffer.alloc(10 * megabyte, "<p>a,b\n"));
    bomb = await importedFile("bomb.gz", Buffer.concat(Array.from({ length: 100 }, () => member)));
  });

  test.each(["artifact_preview_table", "artifact_preview_report"])("%s shows its start and stops", async (tool) => {
    const seen = await watched(tool, { artifact_id: bomb.artifact_id });

    expectBounded(seen, 150);
    expect(seen.answer).toMatchObject({ status: "success", output: { gzipped: true, truncated: true } });
  });

  test("artifact_preview_text does not unpack at all", async () => {
    const { answer } = await watched("artifact_preview_text", { artifact_id: bomb.artifact_id });

    expect(answer).toMatchObject({ error: { code: "D-DATA-002" } });
  });
});

test("a line of a gigabyte costs no more than its start (A3)", { timeout: 300_000 }, async () => {
  const { artifact_id, bytes } = await importedFile("line", Buffer.alloc(9 * megabyte, "x"), 1_024 * megabyte);

  for (const tool of textTools) {
    const seen = await watched(tool, { artifact_id });

    expectBounded(seen, 150);
    expect(seen.answer).toMatchObject({ status: "success", output: { truncated: true, bytes_total: bytes } });
  }
});

describe("what is not what it is previewed as (A3)", () => {
  const noise = Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7_919) % 256));

  test.each([
    ["bytes as they come", noise],
    ["an archive", Buffer.concat([Buffer.from("PK\u0003\u0004"), noise])],
    ["a gzip of bytes", gzipSync(noise)],
    ["half a gzip", gzipSync(noise).subarray(0, 40)],
    ["something after a picture's first bytes", Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), noise])],
  ])("%s is refused by every preview", async (name, content) => {
    const { artifact_id } = await importedFile(name.replaceAll(" ", "-"), content);

    const answers = await Promise.all(
      [...textTools, "artifact_preview_image"].map((tool) => stack.call(tool, { artifact_id }, ask)),
    );

    expect(answers.map((answer) => ("error" in answer ? answer.error.code : JSON.stringify(answer)))).toEqual(
      answers.map(() => "D-DATA-002"),
    );
    expect(stack.faults).toEqual([]);
  });
});

describe("a picture that claims more than it is (A3)", () => {
  test.each([
    ["50,000 by 50,000 pixels", 50_000, 50_000],
    ["a billion by one", 1_000_000_000, 1],
    ["more than there is", 6_000, 6_000],
  ])("%s is refused without being decoded", async (name, width, height) => {
    const { artifact_id, type } = await importedFile(`${width}.png`, pngClaiming(width, height));

    const seen = await watched("artifact_preview_image", { artifact_id });

    expect({ name, type }).toEqual({ name, type: "png" });
    expectBounded(seen, 200);
    expect(seen.answer).toMatchObject({ status: "terminal_error", error: { code: "D-DATA-002" } });
  });

  test.each([
    ["png", { progressive: true }],
    ["jpeg", { progressive: true }],
    ["webp", { effort: 0 }],
  ] as const)("the largest %s that is read stays within its bounds", async (format, options) => {
    const large = { create: { width: 7_000, height: 7_000, channels: 3, background: "black" } } as const;
    const { artifact_id } = await importedFile(
      `large.${format}`,
      await sharp(large).toFormat(format, options).toBuffer(),
    );

    const seen = await watched("artifact_preview_image", { artifact_id });

    expectBounded(seen, 500);
    expect(seen.answer).toMatchObject({ status: "success", output: { width: 7_000, thumbnail: { width: 256 } } });
  });
});

describe("HTML that is made to hurt (A3)", () => {
  const size = 8 * megabyte;
  const filled = (unit: string, start = "") => start + unit.repeat(Math.floor((size - start.length) / unit.length));

  test.each([
    ["nested without end", filled("<div>")],
    ["closing what was never opened, within much that is", filled("</b>", "<i>".repeat(250))],
    ["paragraphs that end each other", filled("<p>")],
    ["a tag with millions of attributes", filled("onclick=x ", "<a ")],
    ["tables within tables", filled("<table><tr><td>")],
    ["a table with a million rows", filled("<tr><td>x", "<table>")],
    ["entities only", filled("&amp;")],
    ["half-open tags", filled("<")],
    ["a comment without end", filled("--", "<!--")],
    ["one script", filled("alert(1);", "<script>")],
  ])("%s is bounded", async (name, html) => {
    const { artifact_id } = await importedFile(`${name.replaceAll(/[ ,]+/g, "-")}.html`, html);

    const seen = await watched("artifact_preview_report", { artifact_id });

    expectBounded(seen, 250);
    expect(seen.answer.status).toBe("success");
    expect(JSON.stringify(seen.answer)).not.toMatch(/alert|onclick/);
  });
});

/** A PNG whose header claims any size, over a few bytes of pixels. */
function pngClaiming(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const pixels = deflateSync(Buffer.alloc(100_000));
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
