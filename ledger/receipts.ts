import type { AttemptState } from "../toolpacks/contract/states.ts";
import type { Db } from "./db.ts";

/** All that a receipt says beyond the run itself: every attempt, who asked, and what exactly was asked. */
export type ReceiptRows = {
  attempts: {
    attempt: number;
    state: AttemptState;
    opened_by: string;
    created_at: string;
    started_at: string | null;
    ended_at: string | null;
    code: string | null;
  }[];
  calls: { total: number; replayed: number; actors: string[]; first_at: string | null; last_at: string | null };
  params: Uint8Array;
};

export async function receiptOf(db: Db, runId: string): Promise<ReceiptRows | undefined> {
  return (await db.query<ReceiptRows>(receipt, [runId]))[0];
}

const iso = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const receipt = {
  name: "receipt-of",
  text: `
select bytes as params,
  (select json_agg(json_build_object('attempt', attempt, 'state', state, 'opened_by', opened_by, 'created_at', ${iso("created_at")},
     'started_at', ${iso("admitted_at")}, 'ended_at', ${iso("ended_at")}, 'code', convert_from(error, 'utf8')::json ->> 'code') order by attempt)
   from attempts where attempts.run_id = runs.run_id) as attempts,
  (select json_build_object('total', count(*), 'replayed', count(*) filter (where replayed),
     'actors', coalesce(json_agg(distinct actor), '[]'), 'first_at', ${iso("min(received_at)")}, 'last_at', ${iso("max(received_at)")})
   from calls where calls.run_id = runs.run_id) as calls
from runs join param_sets on hash = params_hash where run_id = $1`,
};
