import { z } from "zod";
import { ArtifactId, RunId } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../admission/authenticate.ts";
import { runOf, type Door, type DoorDeps } from "./door.ts";
import { lineageOf } from "./lineage-graph.ts";
import { lineageAsMermaid, lineageAsText } from "./lineage-text.ts";

const defaultDepth = 3;

const Input = z.strictObject({
  run_id: RunId.optional(),
  artifact_id: ArtifactId.optional(),
  direction: z
    .enum(["up", "down", "both"])
    .optional()
    .describe("Where it came from, what came of it, or both (default)."),
  depth: z.int().min(1).max(20).optional().describe(`How many runs far; default ${defaultDepth}.`),
  format: z.enum(["json", "text", "mermaid"]).optional().describe("Default json."),
});
type Input = z.infer<typeof Input>;

const Output = z.strictObject({
  start: z.string(),
  complete: z
    .boolean()
    .describe("False when there is more than was shown: ask with less or more depth, from elsewhere."),
  nodes: z.array(z.strictObject({ id: z.string(), what: z.string(), state: z.string().nullable() })).optional(),
  edges: z.array(z.strictObject({ from: z.string(), to: z.string(), role: z.string() })).optional(),
  text: z.string().optional(),
});

export const runLineage: Door<Input> = {
  name: "run_lineage",
  title: "Show lineage",
  description:
    "The runs and artifacts that a run or an artifact came from, and what came of it: as JSON, text or Mermaid.",
  input: Input,
  output: Output,
  readOnly: true,
  async open(deps, caller, input) {
    const start = await startOf(deps, caller, input);
    const { direction = "both", depth = defaultDepth, format = "json" } = input;
    const lineage = await lineageOf(deps.ledger, { project: caller.project, start, direction, depth });
    const { complete, nodes, edges } = lineage;
    if (format === "json") return { kind: "output", output: { start, complete, nodes, edges } };
    const text = format === "text" ? lineageAsText(lineage) : lineageAsMermaid(lineage);
    return { kind: "output", output: { start, complete, text } };
  },
};

async function startOf(deps: DoorDeps, caller: Caller, { run_id, artifact_id }: Input): Promise<string> {
  if (run_id !== undefined && artifact_id === undefined) return (await runOf(deps, caller, run_id)).runId;
  if (artifact_id === undefined || run_id !== undefined) {
    const violations = [{ pointer: "", rule: "one-of", message: "Give either run_id or artifact_id." }];
    throw new ToolError("I-REQ-001", { details: { violations } });
  }
  const found = await deps.ledger.findArtifact({ project: caller.project, artifactId: artifact_id });
  if (!found) throw new ToolError("P-PRECOND-001", { details: { artifact_id } });
  return found.artifactId;
}
