import type { FinalState } from "../toolpacks/contract/states.ts";
import type { Db } from "./db.ts";

/** An attempt that this execution may carry out, with all that it needs to know. */
export type Admitted = {
  project: string;
  tool: string;
  toolVersion: string;
  digest: string;
  policy: Uint8Array;
  params: Uint8Array;
  workOrder: Uint8Array;
  cancelled: boolean;
  expired: boolean;
  createdAt: Date;
};

/**
 * Compare-and-set of the attempt to one execution; the same execution may ask again (its worker was killed).
 * Undefined: final already, or another execution's; the caller leaves without effects.
 */
export async function admitAttempt(
  db: Db,
  attempt: { runId: string; attempt: number; executionId: string },
): Promise<Admitted | undefined> {
  const rows = await db.query<Admitted>(admit, [attempt.runId, attempt.attempt, attempt.executionId]);
  return rows[0];
}

const admit = {
  name: "admit-attempt",
  text: `
with taken as (
  update attempts set state = 'running', execution_id = $3, admitted_at = coalesce(admitted_at, now()), checked_at = now()
  where run_id = $1 and attempt = $2 and (state = 'queued' or (state = 'running' and execution_id = $3))
  returning *)
select runs.project, tool, tool_version as "toolVersion", digest, policies.bytes as policy, param_sets.bytes as params,
  work_order as "workOrder", cancel_requested_at is not null as cancelled, deadline <= now() as expired, taken.created_at as "createdAt"
from taken join runs using (run_id) join policies on policies.hash = policy_hash join param_sets on param_sets.hash = params_hash`,
};

/** How an attempt ended, as the ledger has it; undefined while it is open. */
export async function endOfAttempt(
  db: Db,
  attempt: { runId: string; attempt: number },
): Promise<{ state: FinalState; code: string | null } | undefined> {
  const rows = await db.query<{ state: FinalState; code: string | null }>(end, [attempt.runId, attempt.attempt]);
  return rows[0];
}

const end = {
  name: "end-of-attempt",
  text: `select state, convert_from(error, 'utf8')::json ->> 'code' as code from attempts
where run_id = $1 and attempt = $2 and ended_at is not null`,
};
