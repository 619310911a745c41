import { maxSatisfying, validRange } from "semver";
import type { ToolDefinition } from "../contract/tool-definition.ts";
import { ToolError } from "../contract/tool-error.ts";

/** All tools of this installation, by name and version. */
export type Registry = {
  /** Sorted by name; one entry for each name, the newest version. */
  list(): ToolDefinition[];
  /** The newest version of a tool; `I-REQ-004` if there is none of that name. */
  find(name: string): ToolDefinition;
  /** The highest version that satisfies the range, exactly one build (C49); `I-REQ-005` if none does. */
  resolve(name: string, range: string): ToolDefinition;
};

export function createRegistry(definitions: ToolDefinition[]): Registry {
  const byName = Map.groupBy(definitions, (definition) => definition.toolName);
  refuseDoubles(byName);
  const versionsOf = (name: string) => {
    const versions = byName.get(name);
    if (!versions) throw new ToolError("I-REQ-004", { details: { tool: name } });
    return versions;
  };
  const resolve = (name: string, range: string) => {
    const versions = versionsOf(name);
    const highest =
      validRange(range) === null
        ? null
        : maxSatisfying(
            versions.map((v) => v.version),
            range,
          );
    const found = versions.find((definition) => definition.version === highest);
    if (!found)
      throw new ToolError("I-REQ-005", { details: { tool: name, range, available: versions.map((v) => v.version) } });
    return found;
  };
  const newest = (name: string) => resolve(name, "*");
  const list = [...byName.keys()].toSorted().map(newest);
  return { list: () => list, find: newest, resolve };
}

function refuseDoubles(byName: Map<string, ToolDefinition[]>): void {
  for (const [name, versions] of byName) {
    if (new Set(versions.map((v) => v.version)).size < versions.length)
      throw new Error(`The tool ${name} is defined twice in the same version: give one of them another version.`);
  }
}
