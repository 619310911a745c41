import type { CallRow } from "../../ledger/calls.ts";
import type { RunId } from "../../toolpacks/contract/ids.ts";
import type { CheckedCall } from "./check-envelope.ts";

/** A call as its row in the ledger. */
export function callRowOf(call: CheckedCall, runId: RunId | null): CallRow {
  const { caller, request, fingerprint, receivedAt } = call;
  const { tool_id: tool, fn, constraints } = request;
  return {
    project: caller.project,
    callId: request.call_id,
    actor: caller.actor,
    tool,
    fn,
    fingerprint,
    key: constraints.idempotency_key ?? null,
    runId,
    deadline: new Date(constraints.deadline_unix_ms),
    traceId: request.context.trace_id,
    receivedAt,
  };
}
