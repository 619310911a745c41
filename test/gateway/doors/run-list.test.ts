import { afterAll, beforeAll, expect, test } from "vitest";
import { postToolCall } from "../../../cli/mcp-post.ts";
import type { JsonObject } from "../../../toolpacks/contract/json.ts";
import { createStack, type TestStack } from "../../kit/stack.ts";
import { openPolicy, toolFor } from "../../kit/tools.ts";

let stack: TestStack;

beforeAll(async () => {
  const runs = toolFor({ name: "test_runs", run: async ({ params }) => params });
  const failing = toolFor({ name: "test_failing", run: async () => Promise.reject(new Error("as told")) });
  stack = await createStack({ policy: openPolicy, tools: [runs, failing] });
  for (const n of Array.from({ length: 12 }, (_, index) => index)) await stack.call("test_runs", { n });
  await stack.call("test_failing", {});
});
afterAll(() => stack[Symbol.asyncDispose]());

type Page = {
  runs: { run_id: string; tool: string; state: string; code: string | null }[];
  next_cursor: string | null;
};

async function list(input: JsonObject): Promise<Page> {
  const local = {
    mcpUrl: "http://127.0.0.1/mcp",
    token: stack.token,
    fetch: (url: string, init: RequestInit) => stack.fetch(new Request(url, init)),
  };
  const answer = await postToolCall(local, { name: "run_list", arguments: input });
  if (answer.status !== "success") throw new Error(JSON.stringify(answer));
  return answer.output as Page;
}

test("runs are listed newest first, with how they ended (A38)", async () => {
  const { runs } = await list({ limit: 2 });

  expect(runs).toMatchObject([
    { tool: "test_failing", state: "failed", code: "S-TOOL-INTERNAL" },
    { tool: "test_runs", state: "succeeded", code: null },
  ]);
});

test("pages hold every run once, while others are asked", async () => {
  const seen: string[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await list({ tool: "test_runs", limit: 5, ...(cursor && { cursor }) });
    seen.push(...page.runs.map(({ run_id }) => run_id));
    await stack.call("test_runs", { n: `meanwhile ${seen.length}` });
    cursor = page.next_cursor;
  }

  expect(seen).toHaveLength(12);
  expect(new Set(seen).size).toBe(12);
});

test("filters by tool, state and time narrow the list", async () => {
  expect((await list({ state: "failed" })).runs).toHaveLength(1);
  expect((await list({ tool: "test_failing", state: "succeeded" })).runs).toEqual([]);
  expect((await list({ created_after: "2100-01-01T00:00:00Z" })).runs).toEqual([]);
  expect((await list({ created_before: "2100-01-01T00:00:00Z", limit: 1 })).runs).toHaveLength(1);
});

test("a cursor that is not ours is refused by its place", async () => {
  await expect(list({ cursor: "bm90IG91cnM" })).rejects.toThrow(/I-REQ-001.*\/cursor/s);
});
