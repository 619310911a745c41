import { CancellationScope, upsertSearchAttributes } from "@temporalio/workflow";
import { HelixErrorCode, HelixStatus } from "../temporal/search-attributes.ts";
import type { AttemptEnd } from "../toolpacks/contract/attempt-end.ts";
import type { RunId } from "../toolpacks/contract/ids.ts";
import type { PlanKind } from "../toolpacks/contract/plan.ts";
import { wayOfPlan } from "./way-of-plan.ts";

/** One attempt of a run, from the ledger's order to the ledger's end. Only ids and states pass through here. */
export async function run(runId: RunId, attempt: number, planKind: PlanKind): Promise<AttemptEnd> {
  const end = await CancellationScope.nonCancellable(() => wayOfPlan[planKind](runId, attempt));
  showToOperators(end);
  return end;
}

/** Success is what the engine shows by itself, and most runs succeed: an event less is a tenth of what a run costs it. */
function showToOperators({ state, code }: AttemptEnd): void {
  if (state === "succeeded") return;
  upsertSearchAttributes([
    { key: HelixStatus, value: state },
    ...(code === undefined ? [] : [{ key: HelixErrorCode, value: code }]),
  ]);
}
