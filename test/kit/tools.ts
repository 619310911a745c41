import { z } from "zod";
import { sha256Hex } from "../../toolpacks/contract/hash.ts";
import type { Json } from "../../toolpacks/contract/json.ts";
import type { Canonicalized, Determinism, ToolDefinition, ToolRun } from "../../toolpacks/contract/tool-definition.ts";
import { definitionOf } from "../../toolpacks/loaders/typescript-abi.ts";

type Shape = {
  name: string;
  version?: string;
  determinism?: Determinism;
  digest?: string;
  run(run: ToolRun): Promise<Json>;
  canonicalize?(args: Record<string, Json>): Partial<Canonicalized>;
};

/** A small tool for a test: any object in, any JSON out, inline. */
export function toolFor({
  name,
  version = "1.0.0",
  determinism = "pure",
  digest = name,
  run,
  canonicalize,
}: Shape): ToolDefinition {
  const source = {
    abiVersion: "v1" as const,
    toolName: name,
    contractVersion: "v1",
    version,
    title: name,
    description: name,
    owner: "test",
    determinism,
    planKind: "inline" as const,
    input: z.record(z.string(), z.json()),
    output: z.json(),
    canonicalize: async (args: Record<string, Json>): Promise<Canonicalized> => ({
      canonicalParams: args,
      plan: { kind: "inline", outputs: [] },
      inputsToLink: [],
      ...canonicalize?.(args),
    }),
    run,
  };
  return definitionOf(source, sha256Hex(digest));
}

/** For stacks of tests: everything may run, from the inbox may be imported. */
export const openPolicy = `
version: 1
tools: { allow: ["*"] }
import_roots: [{ name: inbox, path: "data:inbox" }]
`;
