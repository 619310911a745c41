import { mayUseTool } from "../../toolpacks/contract/may-run.ts";
import type { Policy } from "../../toolpacks/contract/policy.ts";
import type { ToolDefinition } from "../../toolpacks/contract/tool-definition.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Registry } from "../../toolpacks/loaders/registry.ts";
import type { KeyedCall } from "./find-key.ts";

export type ResolvedCall = KeyedCall & { tool: ToolDefinition };

/** Step 5: tool and range become exactly one build (C49), one that the policy allows (A18): nothing is read for another. */
export function createResolve({ registry, policy }: { registry: Registry; policy(): Policy }) {
  return function resolve(call: KeyedCall): ResolvedCall {
    const tool = registry.resolve(call.request.tool_id, call.request.tool_version);
    const decision = mayUseTool(policy(), { name: tool.toolName, version: tool.version });
    if (!decision.allowed) throw new ToolError("A-AUTH-004", { details: { reasons: decision.reasons } });
    return { ...call, tool };
  };
}
