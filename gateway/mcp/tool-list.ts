import type { Tool } from "@modelcontextprotocol/server";
import { answerSchemaFor } from "../../toolpacks/contract/envelope.ts";
import type { Grants } from "../../toolpacks/contract/grants.ts";
import { mayCall } from "../../toolpacks/contract/may-run.ts";
import type { ToolDefinition } from "../../toolpacks/contract/tool-definition.ts";
import type { Registry } from "../../toolpacks/loaders/registry.ts";
import type { Caller } from "../admission/authenticate.ts";
import type { DoorListing, Doors } from "../doors/doors.ts";

/** What a caller sees in tools/list: tools and doors that its scopes open, sorted by name. */
export function createToolList({ registry, doors, grants }: { registry: Registry; doors: Doors; grants(): Grants }) {
  const tools = registry.list().map((tool) => ({ target: { tool: tool.toolName }, listed: listedTool(tool) }));
  const listed = [...tools, ...doors.list().map((door) => ({ target: { door: door.name }, listed: listedDoor(door) }))];
  const sorted = listed.toSorted((a, b) => (a.listed.name < b.listed.name ? -1 : 1));
  return function toolList(caller: Caller): Tool[] {
    return sorted.filter(({ target }) => mayCall(grants(), caller, target).allowed).map((entry) => entry.listed);
  };
}

function listedTool({ toolName, title, description, inputSchema, outputSchema, determinism }: ToolDefinition): Tool {
  return {
    name: toolName,
    title,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    outputSchema: { ...answerSchemaFor(outputSchema), type: "object" },
    annotations: {
      readOnlyHint: determinism === "pure",
      idempotentHint: determinism !== "side_effectful",
      destructiveHint: determinism === "side_effectful",
      openWorldHint: false,
    },
  };
}

function listedDoor({ name, title, description, inputSchema, outputSchema, readOnly }: DoorListing): Tool {
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    outputSchema: { ...outputSchema, type: "object" },
    annotations: { readOnlyHint: readOnly, idempotentHint: true, destructiveHint: !readOnly, openWorldHint: false },
  };
}
