import { mayRun } from "../../toolpacks/contract/may-run.ts";
import type { Policy } from "../../toolpacks/contract/policy.ts";
import { Plan } from "../../toolpacks/contract/plan.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { violationsOfZod } from "../../toolpacks/contract/zod-violations.ts";
import type { CanonicalCall } from "./canonicalise.ts";

export type AllowedCall = CanonicalCall & { allowed: true };

/** Step 8: the plan against the policy. The same pure function decides again at the execution boundary. */
export function createGatePlan({ policy }: { policy(): Policy }) {
  return function gatePlan(call: CanonicalCall): AllowedCall {
    const plan = Plan.safeParse(call.plan);
    if (!plan.success) throw new ToolError("C-CONTRACT-005", { details: { violations: violationsOfZod(plan.error) } });
    const { tool } = call;
    const decision = mayRun(policy(), {
      tool: { name: tool.toolName, version: tool.version },
      importRoot: plan.data.importRoot,
    });
    if (!decision.allowed)
      throw new ToolError(decision.reasons[0]?.code ?? "A-AUTH-004", { details: { reasons: decision.reasons } });
    return { ...call, allowed: true };
  };
}
