import { afterAll, beforeAll, expect, test } from "vitest";
import { postToolCall } from "../../../cli/mcp-post.ts";
import type { Answer } from "../../../toolpacks/contract/envelope.ts";
import type { JsonObject } from "../../../toolpacks/contract/json.ts";
import { createStack, type TestStack } from "../../kit/stack.ts";

let stack: TestStack;
let importing: string;
let previewing: string;
let artifact: string;

beforeAll(async () => {
  stack = await createStack();
  const imported = await stack.call("artifact_import", { content: "a root of things" });
  importing = String(imported.run_id);
  artifact = (imported as Answer & { output: { artifact_id: string } }).output.artifact_id;
  previewing = String((await stack.call("artifact_preview_text", { artifact_id: artifact })).run_id);
});
afterAll(() => stack[Symbol.asyncDispose]());

type Graph = {
  nodes: { id: string; what: string }[];
  edges: { from: string; to: string; role: string }[];
  text: string;
  complete: boolean;
};

function ask(input: JsonObject): Promise<Answer> {
  const local = {
    mcpUrl: "http://127.0.0.1/mcp",
    token: stack.token,
    fetch: (url: string, init: RequestInit) => stack.fetch(new Request(url, init)),
  };
  return postToolCall(local, { name: "run_lineage", arguments: input });
}

async function lineage(input: JsonObject): Promise<Graph> {
  const answer = await ask(input);
  if (answer.status !== "success") throw new Error(JSON.stringify(answer));
  return answer.output as Graph;
}

test("from an artifact, the run that made it is above and the run that read it is below (A35, A38)", async () => {
  const { nodes, edges, complete } = await lineage({ artifact_id: artifact });

  expect(nodes.map(({ id }) => id).toSorted()).toEqual([artifact, importing, previewing].toSorted());
  expect(edges).toContainEqual({ from: importing, to: artifact, role: "artifact" });
  expect(edges).toContainEqual({ from: artifact, to: previewing, role: "artifact" });
  expect(complete).toBe(true);
});

test("up is only where it came from, down only what came of it", async () => {
  const up = await lineage({ run_id: previewing, direction: "up" });
  const down = await lineage({ run_id: importing, direction: "down" });

  expect(up.nodes.map(({ id }) => id)).toContain(importing);
  expect(down.nodes.map(({ id }) => id)).toContain(previewing);
  expect((await lineage({ run_id: importing, direction: "up" })).edges).toEqual([]);
});

test("text and Mermaid say the same in their own way", async () => {
  const text = await lineage({ artifact_id: artifact, format: "text" });
  const mermaid = await lineage({ artifact_id: artifact, format: "mermaid" });

  expect(text.text).toMatch(/artifact_import \[succeeded\] run_\S+ --artifact--> text art_/);
  expect(mermaid.text).toMatch(/^flowchart LR\n/);
  expect(mermaid.text).toMatch(/-->\|"artifact"\| art_/);
});

test.each([
  ["neither a run nor an artifact", {}, "I-REQ-001"],
  ["an artifact that there is not", { artifact_id: `art_${"a".repeat(52)}` }, "P-PRECOND-001"],
  ["a run that there is not", { run_id: `run_${"a".repeat(52)}` }, "P-PRECOND-012"],
])("%s is refused", async (_name, input, code) => {
  expect(await ask(input)).toMatchObject({ error: { code } });
});
