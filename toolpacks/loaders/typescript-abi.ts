import { valid } from "semver";
import { z } from "zod";
import { ContractVersion, ToolName, type Sha256 } from "../contract/ids.ts";
import { jsonSchemaOf } from "../contract/json-schema.ts";
import type { ToolDefinition, ToolSource } from "../contract/tool-definition.ts";

const Heading = z.object({
  abiVersion: z.literal("v1"),
  toolName: ToolName,
  contractVersion: ContractVersion,
  version: z.string().refine((version) => valid(version) === version, "must be a SemVer 2.0 version"),
});

/** An ABI v1 module becomes the one form that gateway and worker know. Throws when the module breaks the ABI. */
export function definitionOf<Input>(source: ToolSource<Input>, digest: Sha256): ToolDefinition {
  const heading = Heading.safeParse(source);
  if (!heading.success) throw new Error(`The tool ${source.toolName} breaks ABI v1: ${z.prettifyError(heading.error)}`);
  const { input, output, canonicalize, ...rest } = source;
  return {
    ...rest,
    digest,
    inputSchema: jsonSchemaOf(input),
    outputSchema: jsonSchemaOf(output),
    canonicalize: (args, context) => canonicalize.call(source, input.parse(args), context),
  };
}
