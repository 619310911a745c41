import type { AttemptState } from "../toolpacks/contract/states.ts";
import type { Db } from "./db.ts";

export type OpenAttempt = {
  runId: string;
  attempt: number;
  state: "queued" | "running";
  executionId: string | null;
  executionBefore: string | null;
  tool: string;
  planKind: string;
  projectOpaque: string;
  /** Long past its deadline: whoever should have ended it did not. */
  overdue: boolean;
};

/**
 * The open attempts whose turn it is to be looked at. A young attempt is looked at often and an old one seldom: again
 * after half its age, at least `everyMs`, at most a minute; and all that were not looked at since `engineBackAt`.
 */
export async function attemptsToCheck(
  db: Db,
  { everyMs, engineBackAt }: { everyMs: number; engineBackAt: Date },
): Promise<OpenAttempt[]> {
  return db.query<OpenAttempt>(toCheck, [everyMs, engineBackAt]);
}

const toCheck = {
  name: "attempts-to-check",
  text: `
with due as (
  select run_id, attempt from attempts where state in ('queued', 'running')
    and (checked_at < $2 or checked_at < now() - least(greatest((now() - created_at) / 2, $1 * interval '1 ms'), interval '1 minute'))
  order by checked_at limit 1000),
checked as (
  update attempts set checked_at = now() from due
  where attempts.run_id = due.run_id and attempts.attempt = due.attempt and state in ('queued', 'running')
  returning attempts.run_id, attempts.attempt, state, execution_id, deadline < now() - interval '1 minute' as overdue)
select checked.run_id as "runId", checked.attempt, checked.state, checked.execution_id as "executionId",
  before.execution_id as "executionBefore", overdue, runs.tool, runs.plan_kind as "planKind", projects.opaque as "projectOpaque"
from checked join runs using (run_id) join projects on projects.id = runs.project
left join attempts before on before.run_id = checked.run_id and before.attempt = checked.attempt - 1`,
};

/** Takes an attempt away from an execution that is absent or closed. False when it is not that execution's any more. */
export async function releaseAttempt(
  db: Db,
  { runId, attempt, executionId }: { runId: string; attempt: number; executionId: string },
): Promise<boolean> {
  return (await db.query(release, [runId, attempt, executionId])).length > 0;
}

const release = {
  name: "release-attempt",
  text: `update attempts set state = 'queued', execution_id = null
where run_id = $1 and attempt = $2 and state = 'running' and execution_id = $3 returning 1`,
};

/** Asks for an end. A queued attempt that no execution has taken ends here; a running one is told by its execution. */
export async function requestCancel(
  db: Db,
  { runId, actor, error }: { runId: string; actor: string; error: Uint8Array },
): Promise<{ attempt: number; state: AttemptState } | undefined> {
  return (await db.query<{ attempt: number; state: AttemptState }>(cancel, [runId, actor, error]))[0];
}

const cancel = {
  name: "request-cancel",
  text: `
with locked as (select run_id, project, tool from runs where run_id = $1 for update),
asked as (
  update attempts set cancel_requested_at = coalesce(cancel_requested_at, now()),
    state = case attempts.state when 'queued' then 'cancelled' else attempts.state end,
    ended_at = case attempts.state when 'queued' then now() end,
    error = case attempts.state when 'queued' then $3::bytea end
  from locked where attempts.run_id = locked.run_id and attempts.state in ('queued', 'running')
  returning attempts.run_id, attempt, state, project, tool),
call as (
  update calls set resolved_at = now(), status = 'terminal_error', code = convert_from($3, 'utf8')::json ->> 'code' from asked
  where calls.run_id = asked.run_id and calls.attempt = asked.attempt and resolved_at is null and asked.state = 'cancelled'),
lease as (
  delete from leases using asked where leases.run_id = asked.run_id and leases.attempt = asked.attempt and asked.state = 'cancelled'),
audited as (
  insert into audit (event, project, actor, tool, run_id, attempt)
  select 'cancel_requested', project, $2, tool, run_id, attempt from asked),
told as (select pg_notify('attempt_final', run_id || ' ' || attempt) from asked where state = 'cancelled')
select attempt, state, (select count(*) from told) from asked`,
};

/** How many attempts are not final, for health and for stopping when idle. */
export async function countOpenAttempts(db: Db): Promise<number> {
  return (await db.query<{ count: number }>(count, []))[0]?.count ?? 0;
}

const count = {
  name: "count-open-attempts",
  text: "select count(*) from attempts where state in ('queued', 'running')",
};
