import { callColumns, callValues, type CallRow } from "./calls.ts";
import type { Db } from "./db.ts";

/** Adds a call to the open attempt of its run. Undefined when none is open any more. */
export async function joinAttempt(
  db: Db,
  call: CallRow,
): Promise<{ attempt: number; cancelling: boolean } | undefined> {
  const rows = await db.query<{ attempt: number; cancelling: boolean }>(statement, callValues(call));
  return rows[0];
}

// Who is being cancelled takes no new callers: they wait for its end and open the next attempt.
const statement = {
  name: "join-attempt",
  text: `
with open as (
  select attempt, cancel_requested_at is not null as cancelling from attempts
  where run_id = $8 and state in ('queued', 'running')),
call as (
  insert into calls ${callColumns}
  select $1, $2::uuid, $3, $4, $5, $6, $7, $8, attempt, $9::timestamptz, $10::uuid, $11::timestamptz
  from open where not cancelling
  on conflict do nothing),
audited as (
  insert into audit (event, project, actor, call_id, tool, run_id, attempt)
  select 'attempt_joined', $1, $3, $2, $4, $8, attempt from open where not cancelling)
select attempt, cancelling from open`,
};
