import type { AttemptState } from "../toolpacks/contract/states.ts";
import type { Db } from "./db.ts";

export type RunPage = {
  project: string;
  tool: string | null;
  state: AttemptState | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  /** Only runs numbered below this: where the page before has ended. */
  before: number | null;
  limit: number;
};

export type ListedRun = {
  runId: string;
  runSeq: number;
  tool: string;
  toolVersion: string;
  attempt: number;
  state: AttemptState;
  openedBy: string;
  createdAt: Date;
  endedAt: Date | null;
  code: string | null;
};

/** A page of runs, newest first, by number: what is asked meanwhile moves nothing. */
export async function listRuns(db: Db, page: RunPage): Promise<ListedRun[]> {
  const { project, tool, state, createdAfter, createdBefore, before, limit } = page;
  return db.query<ListedRun>(list, [project, tool, state, createdAfter, createdBefore, before, limit]);
}

const list = {
  name: "list-runs",
  text: `
select runs.run_id as "runId", run_seq as "runSeq", tool, tool_version as "toolVersion", attempt, state, opened_by as "openedBy",
  runs.created_at as "createdAt", ended_at as "endedAt", convert_from(error, 'utf8')::json ->> 'code' as code
from runs join attempts on attempts.run_id = runs.run_id and attempt = latest_attempt
where project = $1 and ($2::text is null or tool = $2) and ($3::text is null or state = $3)
  and ($4::timestamptz is null or runs.created_at >= $4) and ($5::timestamptz is null or runs.created_at < $5)
  and ($6::bigint is null or run_seq < $6)
order by run_seq desc limit $7`,
};
