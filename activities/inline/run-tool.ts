import { randomUUID } from "node:crypto";
import type { Admitted } from "../../ledger/admit-attempt.ts";
import { isLedgerAway } from "../../ledger/db.ts";
import type { RunId } from "../../toolpacks/contract/ids.ts";
import { parseJson } from "../../toolpacks/contract/parse-json.ts";
import { paramsOf } from "../../toolpacks/contract/run-id.ts";
import { isToolError, ToolError } from "../../toolpacks/contract/tool-error.ts";
import { WorkOrder } from "../../toolpacks/contract/work-order.ts";
import { checkOutput, checkOutputs } from "../check-outputs.ts";
import type { ToolOutcome } from "../finalise.ts";
import type { RunLog } from "../run-log.ts";
import { createToolRun } from "./tool-run.ts";
import type { InlineDeps } from "./perform-inline.ts";

/** Runs the tool's own code within its time; whatever it throws becomes an outcome, unless the ledger was away. */
export async function runTool(
  deps: InlineDeps,
  { runId, admitted, log }: { runId: RunId; admitted: Admitted; log: RunLog },
): Promise<ToolOutcome> {
  const order = WorkOrder.parse(parseJson(admitted.workOrder));
  const params = paramsOf(admitted.params);
  const tool = deps.tools.resolve(admitted.tool, admitted.toolVersion);
  const signal = AbortSignal.timeout(order.timeout_ms);
  const { toolRun, made } = createToolRun(deps, { project: admitted.project, params, signal, log });
  try {
    const result = await Promise.race([tool.run(toolRun), timeoutOf(signal)]);
    checkOutputs(made, order.plan.outputs);
    checkOutput(tool, result);
    return { ok: true, result, made };
  } catch (error) {
    if (isLedgerAway(error)) throw error; // not the tool's end: the activity is repeated when the ledger is back
    return { ok: false, error: isToolError(error) ? error : internal(deps, error, runId) };
  }
}

function timeoutOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new ToolError("R-TIMEOUT-001")), { once: true });
  });
}

/** A fault of ours: the caller gets an id, the operator what happened. */
function internal({ onFault }: InlineDeps, cause: unknown, runId: RunId): ToolError {
  const correlationId = randomUUID();
  onFault({ correlationId, runId, error: cause });
  return new ToolError("S-TOOL-INTERNAL", { details: { correlation_id: correlationId }, cause });
}
