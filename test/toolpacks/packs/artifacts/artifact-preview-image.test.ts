import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer } from "../../../../toolpacks/contract/envelope.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { imported, outputOf } from "./imported.ts";

type Preview = {
  width: number;
  height: number;
  thumbnail: { artifact_id: string; width: number; height: number; bytes: number };
};

let stack: TestStack;

beforeAll(async () => {
  stack = await createStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const picture = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: "teal" } });

async function connected(token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const fetch = (url: string | URL, init?: RequestInit) => stack.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { requestInit, fetch }));
  return client;
}

test.each([
  ["png", () => picture(600, 300, 4).png(), { channels: 4, has_alpha: true }, [256, 128]],
  ["jpeg", () => picture(100, 800).jpeg(), { channels: 3, has_alpha: false }, [32, 256]],
  ["webp", () => picture(40, 30).webp(), { channels: 3 }, [40, 30]],
])(
  "of a %s one sees its size and a thumbnail, which is an artifact (A1, A2, A3, A39)",
  async (format, make, more, [width, height]) => {
    const content = await make().toBuffer();
    const original = await sharp(content).metadata();
    const { artifact_id, type } = await imported(stack, content);

    const answer = await stack.call("artifact_preview_image", { artifact_id });

    const output = outputOf<Preview>(answer);
    expect(type).toBe(format);
    expect(output).toMatchObject({ artifact_id, format, width: original.width, height: original.height, ...more });
    expect(output.thumbnail).toMatchObject({ width, height });
    const described = await stack.call("artifact_get", { artifact_id: output.thumbnail.artifact_id });
    expect(described).toMatchObject({ output: { type: "png", bytes: output.thumbnail.bytes } });
    const links = await stack.database.rows(
      "select role, artifact_id from run_outputs where run_id = $1 and role <> 'log' union all select role, artifact_id from run_inputs where run_id = $1",
      [answer.run_id],
    );
    expect(links).toEqual([
      { role: "thumbnail", artifact_id: output.thumbnail.artifact_id },
      { role: "artifact", artifact_id },
    ]);
  },
);

test("a picture that lies on its side is shown upright", async () => {
  const content = await picture(400, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const { artifact_id } = await imported(stack, content);

  const { thumbnail } = outputOf<Preview>(await stack.call("artifact_preview_image", { artifact_id }));

  expect(thumbnail).toMatchObject({ width: 128, height: 256 });
});

test("an MCP client gets the thumbnail as a picture beside the envelope, at a replay too (A3)", async () => {
  const { artifact_id } = await imported(stack, await picture(300, 300).png().toBuffer());
  const client = await connected(stack.token);
  const ask = { name: "artifact_preview_image", arguments: { artifact_id } };

  const first = await client.callTool(ask);
  const replies = [first, await client.callTool(ask)];
  const waited = await client.callTool({
    name: "run_wait",
    arguments: { run_id: (first.structuredContent as Answer).run_id },
  });
  const plain = await client.callTool({ name: "artifact_get", arguments: { artifact_id } });
  await client.close();

  expect(replies.map((reply) => (reply.structuredContent as Answer).provenance.replayed)).toEqual([false, true]);
  for (const reply of [...replies, waited]) {
    const [text, image, ...more] = reply.content;
    expect([text?.type, image?.type, more]).toEqual(["text", "image", []]);
    expect(image).toMatchObject({ mimeType: "image/png" });
    const shown = await sharp(Buffer.from((image as { data: string }).data, "base64")).metadata();
    expect(shown).toMatchObject({ format: "png", width: 256, height: 256 });
  }
  expect(JSON.stringify(first.structuredContent)).not.toMatch(/[A-Za-z0-9+/]{200}/); // the picture is not in it
  expect(plain.content.map(({ type }) => type)).toEqual(["text"]);
});

test.each([
  ["text", "no picture"],
  ["a GIF, which is not among those that are read", "GIF89a\u0001\u0000\u0001\u0000"],
  [
    "an SVG, which could ask for other files",
    '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
  ],
  ["a PNG that breaks off", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
])("%s is refused by the tool, in the run", async (_name, content) => {
  const { artifact_id } = await imported(stack, content);

  const answer = await stack.call("artifact_preview_image", { artifact_id });

  expect(answer).toMatchObject({ status: "terminal_error", error: { code: "D-DATA-002", details: { artifact_id } } });
  expect(stack.faults).toEqual([]);
});

test("a picture with a flipped bit is found out before it is shown; imported again, it is whole", async () => {
  const content = await picture(50, 50).png().toBuffer();
  const { artifact_id, sha256 } = await imported(stack, content);
  const path = join(stack.dataDir, "blobs", sha256.slice(0, 2), sha256.slice(2));
  const flipped = Buffer.from(content);
  flipped[flipped.length - 20]! ^= 1; // oxlint-disable-line typescript/no-non-null-assertion -- it is longer than that
  await rm(path);
  await writeFile(path, flipped);

  const broken = await stack.call("artifact_preview_image", { artifact_id });
  await rm(path, { force: true });
  await imported(stack, content);
  const mended = await stack.call("artifact_preview_image", { artifact_id });

  expect(broken).toMatchObject({ error: { code: "D-DATA-001", details: { artifact_id, sha256 } } });
  expect(mended).toMatchObject({ status: "success", run_id: broken.run_id });
});
