import type { CallId, ProjectId, RunId, Sha256 } from "../toolpacks/contract/ids.ts";
import type { Db } from "./db.ts";

/** Someone asking: who, what, until when. */
export type CallRow = {
  project: ProjectId;
  callId: CallId;
  actor: string;
  tool: string;
  fn: string;
  fingerprint: Sha256;
  key: string | null;
  runId: RunId | null;
  deadline: Date;
  traceId: string;
  receivedAt: Date;
};

/** The columns that `callValues` fills ($1..$11), with the attempt after the run. */
export const callColumns =
  "(project, call_id, actor, tool, fn, fingerprint, idempotency_key, run_id, attempt, deadline, trace_id, received_at)";

export function callValues(call: CallRow): unknown[] {
  return [
    call.project,
    call.callId,
    call.actor,
    call.tool,
    call.fn,
    call.fingerprint,
    call.key,
    call.runId,
    call.deadline,
    call.traceId,
    call.receivedAt,
  ];
}

/**
 * A refused call leaves its row and an audit row, nothing else; a denial belongs to the call, never to the run.
 * A call that was waiting for a run already (its deadline came first) is resolved by this.
 */
export async function refuseCall(db: Db, call: CallRow, end: { status: string; code: string }): Promise<void> {
  await db.query(refuse, [...callValues(call), end.status, end.code]);
}

const refuse = {
  name: "refuse-call",
  text: `
with call as (
  insert into calls (project, call_id, actor, tool, fn, fingerprint, idempotency_key, run_id, deadline, trace_id, received_at, resolved_at, status, code)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now(), $12, $13)
  on conflict (project, call_id) do update set resolved_at = now(), status = $12, code = $13 where calls.resolved_at is null)
insert into audit (event, project, actor, call_id, tool, run_id, code) values ('call_refused', $1, $3, $2, $4, $8, $13)`,
};

export type ReplayedCall = { call: CallRow; attempt: number };

/** The rows of replayed calls, many at a time: an answer from the ledger does not wait for them. */
export async function recordReplays(db: Db, replays: ReplayedCall[]): Promise<void> {
  const rows = replays.map(({ call, attempt }) => ({
    project: call.project,
    call_id: call.callId,
    actor: call.actor,
    tool: call.tool,
    fn: call.fn,
    fingerprint: call.fingerprint,
    idempotency_key: call.key,
    run_id: call.runId,
    attempt,
    deadline: call.deadline,
    trace_id: call.traceId,
    received_at: call.receivedAt,
  }));
  await db.query(replayed, [JSON.stringify(rows)]);
}

const replayed = {
  name: "record-replays",
  text: `
with row as (select * from json_populate_recordset(null::calls, $1)),
call as (
  insert into calls ${callColumns.slice(0, -1)}, resolved_at, status, replayed)
  select ${callColumns.slice(1, -1)}, now(), 'success', true from row
  on conflict do nothing)
insert into audit (event, project, actor, call_id, tool, run_id, attempt)
select 'call_replayed', project, actor, call_id, tool, run_id, attempt from row`,
};

/** Resolves calls whose attempt is final but which joined too late to be resolved with it. */
export async function resolveLateJoiners(db: Db): Promise<void> {
  await db.query(late, []);
}

const late = {
  name: "resolve-late-joiners",
  text: `
update calls set resolved_at = now(), code = convert_from(error, 'utf8')::json ->> 'code',
  status = case state when 'succeeded' then 'success' else convert_from(error, 'utf8')::json ->> 'status' end
from attempts where calls.resolved_at is null and attempts.run_id = calls.run_id and attempts.attempt = calls.attempt
  and attempts.ended_at is not null`,
};
