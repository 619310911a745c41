import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answer } from "../../toolpacks/contract/envelope.ts";
import { createStack, type TestStack } from "../kit/stack.ts";

let stack: TestStack;
let client: Client;

beforeAll(async () => {
  stack = await createStack();
  client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${stack.token}` } };
  const fetch = (url: string | URL, init?: RequestInit) => stack.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { requestInit, fetch }));
});
afterAll(async () => {
  await client.close();
  await stack[Symbol.asyncDispose]();
});

async function imported(content: string, project = "default"): Promise<{ artifactId: string; runId: string }> {
  const answer = (await stack.call("artifact_import", { content, label: "notes" }, { project })) as Answer & {
    output: { artifact_id: string };
  };
  return { artifactId: answer.output.artifact_id, runId: String(answer.run_id) };
}

const textsOf = async (uri: string) =>
  (await client.readResource({ uri })).contents.map((content) => ("text" in content ? content.text : ""));

test("artifacts and runs are resources, by template and newest first (A3)", async () => {
  const { artifactId } = await imported("listed");

  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();

  expect(resources[0]).toMatchObject({ uri: `helixrun://artifacts/${artifactId}`, name: "notes" });
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    "helixrun://artifacts/{artifact_id}",
    "helixrun://runs/{run_id}",
  ]);
});

test("an artifact is read as what is known of it and the start of its text, made harmless (A3, A39)", async () => {
  const { artifactId } = await imported(`\u001b[2J${"x".repeat(5_000)}`);

  const [known = "", preview = ""] = await textsOf(`helixrun://artifacts/${artifactId}`);

  expect(JSON.parse(known)).toMatchObject({ artifactId, bytes: 5_004, type: "text" });
  expect(preview).toMatch(/^\u241b\[2Jx+$/);
  expect(preview.length).toBeLessThan(2_100);
});

test("an artifact whose bytes went bad is not shown: the error names it, and the blob is set aside (A39)", async () => {
  const { artifactId } = await imported("will go bad");
  const [{ sha256 } = { sha256: "" }] = await stack.database.rows<{ sha256: string }>(
    "select sha256 from artifacts where artifact_id = $1",
    [artifactId],
  );
  await rm(join(stack.dataDir, "blobs", sha256.slice(0, 2), sha256.slice(2)));

  await expect(textsOf(`helixrun://artifacts/${artifactId}`)).rejects.toThrow(/D-DATA-001/);

  const row = await stack.database.rows("select 1 from blobs where sha256 = $1 and quarantined_at is not null", [
    sha256,
  ]);
  expect(row).toHaveLength(1);
});

test("a run is read as its receipt (A38)", async () => {
  const { runId, artifactId } = await imported("receipted");

  const [receipt = ""] = await textsOf(`helixrun://runs/${runId}`);

  expect(JSON.parse(receipt)).toMatchObject({
    run_id: runId,
    state: "succeeded",
    outputs: [{ role: "artifact", artifact_id: artifactId }, { role: "log" }],
    attempts: [{ attempt: 1, state: "succeeded", opened_by: "local" }],
    calls: { total: 1, actors: ["local"] },
  });
});

test("what is of another project, or not there, or not ours, is not found", async () => {
  const foreign = await imported("foreign", "lab-a");
  const uris = [
    `helixrun://artifacts/${foreign.artifactId}`,
    `helixrun://runs/${foreign.runId}`,
    `helixrun://runs/run_${"a".repeat(52)}`,
    "file:///etc/passwd",
  ];

  for (const uri of uris) await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
});
