import type { Grants } from "../../toolpacks/contract/grants.ts";
import { mayCall } from "../../toolpacks/contract/may-run.ts";
import type { Determinism } from "../../toolpacks/contract/tool-definition.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Registry } from "../../toolpacks/loaders/registry.ts";
import type { CheckedCall } from "./check-envelope.ts";
import type { RateLimit } from "./rate-limit.ts";

export type GatedCall = CheckedCall & { determinism: Determinism };

/** Step 3: may this actor call this tool in this project, and now? Grants say who, the rate says how often. */
export function createGateCall({ grants, registry, rate }: { grants(): Grants; registry: Registry; rate: RateLimit }) {
  return function gateCall(call: CheckedCall): GatedCall {
    const { tool_id, fn } = call.request;
    const decision = mayCall(grants(), call.caller, { tool: tool_id });
    if (!decision.allowed) throw new ToolError("A-AUTH-003", { details: { reasons: decision.reasons } });
    rate.take(call.caller, grants().quotas?.default.rate);
    const { determinism } = registry.find(tool_id);
    if (fn !== "run") throw new ToolError("I-REQ-004", { details: { tool: tool_id, fn, available: ["run"] } });
    return { ...call, determinism };
  };
}
