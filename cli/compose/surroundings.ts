import type { ToolDefinition } from "../../toolpacks/contract/tool-definition.ts";
import { loadPack } from "../../toolpacks/loaders/load-pack.ts";

/** What a process is made of besides its configuration; a test brings its own queue and tools. */
export type Surroundings = {
  taskQueue: string;
  tools: ToolDefinition[];
  onFault(error: unknown): void;
};

export const ledgerPatienceMs = 10_000; // PostgreSQL is back within seconds of being killed; calls under way wait for it

export async function shippedTools(): Promise<ToolDefinition[]> {
  return loadPack(new URL("../../toolpacks/packs/artifacts/", import.meta.url));
}
