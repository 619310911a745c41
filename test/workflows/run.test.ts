import { readFile } from "node:fs/promises";
import { Client, Connection } from "@temporalio/client";
import { Worker } from "@temporalio/worker";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { readConfig } from "../../cli/config.ts";
import { buildBundle, bundlePath } from "../../temporal/workflow-bundle.ts";
import { dataConverter } from "../../temporal/data-converter.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { createStack, type TestStack } from "../kit/stack.ts";
import { openPolicy, toolFor } from "../kit/tools.ts";

const alwaysFails = toolFor({
  name: "always_fails",
  async run() {
    throw new ToolError("D-DATA-001");
  },
});
let stack: TestStack;
let client: Client;

beforeAll(async () => {
  stack = await createStack({ tools: [alwaysFails], policy: openPolicy });
  client = new Client({ connection: await Connection.connect({ address: inject("temporalAddress") }) });
});
afterAll(async () => {
  await client.connection.close();
  await stack[Symbol.asyncDispose]();
});

test("a run is one workflow whose id is its run_id, and operators can search it (A8)", async () => {
  const { run_id } = await stack.call("artifact_import", { content: "searchable" });

  const { workflowId, typedSearchAttributes, status } = await ended(String(run_id));

  expect(workflowId).toBe(run_id);
  expect(status.name).toBe("COMPLETED");
  const found = Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
  expect(found).toMatchObject({ HelixTool: "artifact_import" });
  expect(found["HelixProject"]).not.toBe("default");
});

test("operators find the runs that did not succeed by HelixStatus and HelixErrorCode", async () => {
  const { run_id } = await stack.call("always_fails", {});

  const { typedSearchAttributes } = await ended(String(run_id));

  const found = Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
  expect(found).toMatchObject({ HelixStatus: "failed", HelixErrorCode: "D-DATA-001" });
});

test("nothing of what was asked or answered crosses Temporal: ids and states only", async () => {
  const { run_id } = await stack.call("artifact_import", {
    content: "a very private content",
    label: "a private label",
  });
  await ended(String(run_id));

  const history = await client.workflow.getHandle(String(run_id)).fetchHistory();
  const said = textsIn(history).join("\n");

  expect(said).toContain(String(run_id));
  expect(said).not.toMatch(/private|artifact_id|sha256/);
});

test.each(["run-0.1-inline-succeeded.json", "run-0.1-inline-failed.json"])(
  "today's workflow code replays the recorded history %s",
  async (file) => {
    const path = await bundlePath(readConfig().cacheDir);
    await buildBundle(path);
    const recorded: unknown = JSON.parse(await readFile(new URL(`../histories/${file}`, import.meta.url), "utf8"));

    const replayed = Worker.runReplayHistory({ workflowBundle: { codePath: path }, dataConverter }, recorded);

    await expect(replayed).resolves.toBeUndefined();
  },
);

async function ended(runId: string) {
  const handle = client.workflow.getHandle(runId);
  await handle.result();
  return handle.describe();
}

/** Every text and every payload in a history. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString("utf8")];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
