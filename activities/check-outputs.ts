import type { Json } from "../toolpacks/contract/json.ts";
import type { DeclaredOutput } from "../toolpacks/contract/plan.ts";
import { schemaViolations } from "../toolpacks/contract/schema-violations.ts";
import type { ToolDefinition } from "../toolpacks/contract/tool-definition.ts";
import { ToolError } from "../toolpacks/contract/tool-error.ts";

/** Exactly the declared outputs, by role, type and label (T4). */
export function checkOutputs(made: DeclaredOutput[], declared: DeclaredOutput[]): void {
  const wanted = declared.map(nameOf).toSorted();
  const found = made.map(nameOf).toSorted();
  if (wanted.length === found.length && wanted.every((name, index) => name === found[index])) return;
  throw new ToolError("C-CONTRACT-004", { details: { declared: wanted, found } });
}

/** The tool keeps its own word: its output conforms to the schema it published. */
export function checkOutput(tool: ToolDefinition, output: Json): void {
  const violations = schemaViolations(tool.outputSchema, output);
  if (violations.length > 0) throw new ToolError("C-CONTRACT-003", { details: { violations } });
}

function nameOf({ role, type, label }: DeclaredOutput): string {
  return JSON.stringify([role, type, label]);
}
