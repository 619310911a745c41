import type { Admitted } from "../ledger/admit-attempt.ts";
import { mayRun } from "../toolpacks/contract/may-run.ts";
import { parseJson } from "../toolpacks/contract/parse-json.ts";
import { Policy } from "../toolpacks/contract/policy.ts";
import type { ToolDefinition } from "../toolpacks/contract/tool-definition.ts";
import { isToolError, ToolError } from "../toolpacks/contract/tool-error.ts";
import { WorkOrder } from "../toolpacks/contract/work-order.ts";

/** Decides once more, at the execution boundary, from what the ledger holds (A21): nothing that came by another way runs. */
export function refusalAtBoundary(
  admitted: Admitted,
  tools: { resolve(name: string, version: string): ToolDefinition },
): ToolError | undefined {
  if (admitted.cancelled) return new ToolError("P-PRECOND-009");
  if (admitted.expired) return new ToolError("R-TIMEOUT-001");
  return refusedBuild(admitted, tools) ?? refusedByPolicy(admitted);
}

/** The attempt keeps the build it was opened with; a worker that has another one must not run it (C50). */
function refusedBuild(admitted: Admitted, tools: { resolve(name: string, version: string): ToolDefinition }) {
  try {
    const { digest } = tools.resolve(admitted.tool, admitted.toolVersion);
    if (digest === admitted.digest) return undefined;
    return new ToolError("C-CONTRACT-002", { details: { expected: admitted.digest, found: digest } });
  } catch (error) {
    if (isToolError(error)) return error;
    throw error;
  }
}

function refusedByPolicy(admitted: Admitted): ToolError | undefined {
  const policy = policyIn(admitted.policy);
  const { plan } = WorkOrder.parse(parseJson(admitted.workOrder));
  const decision = mayRun(policy, {
    tool: { name: admitted.tool, version: admitted.toolVersion },
    importRoot: plan.importRoot,
  });
  if (decision.allowed) return undefined;
  return new ToolError(decision.reasons[0]?.code ?? "A-AUTH-004", { details: { reasons: decision.reasons } });
}

/** The last policy is kept as parsed: it seldom changes, and parsing it takes longer than all that is decided from it. */
function policyIn(bytes: Uint8Array): Policy {
  if (!last || Buffer.compare(last.bytes, bytes) !== 0) last = { bytes, policy: Policy.parse(parseJson(bytes)) };
  return last.policy;
}

let last: { bytes: Uint8Array; policy: Policy } | undefined;
