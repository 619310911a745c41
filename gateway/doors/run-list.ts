import { z } from "zod";
import type { ListedRun } from "../../ledger/list-runs.ts";
import { RunId } from "../../toolpacks/contract/ids.ts";
import type { JsonObject } from "../../toolpacks/contract/json.ts";
import { finalStates, openStates } from "../../toolpacks/contract/states.ts";
import { cursorOf, positionOf } from "./cursor.ts";
import type { Door } from "./door.ts";

const State = z.enum([...openStates, ...finalStates]);
const Time = z.iso.datetime({ offset: true });
const defaultLimit = 50;
const maxLimit = 100; // about 300 bytes a row: below the 32 KiB that an answer may hold

const Input = z.strictObject({
  tool: z.string().optional(),
  state: State.optional(),
  created_after: Time.optional(),
  created_before: Time.optional(),
  limit: z.int().min(1).max(maxLimit).optional().describe(`How many; default ${defaultLimit}.`),
  cursor: z.string().max(512).optional().describe("The next_cursor of the page before."),
});

const Output = z.strictObject({
  runs: z.array(
    z.strictObject({
      run_id: RunId,
      tool: z.string(),
      tool_version: z.string(),
      state: State,
      attempt: z.int(),
      opened_by: z.string(),
      created_at: z.iso.datetime(),
      ended_at: z.iso.datetime().nullable(),
      code: z.string().nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});

export const runList: Door<z.infer<typeof Input>> = {
  name: "run_list",
  title: "List runs",
  description: "The runs of the project, newest first, by tool, state and time; page by page.",
  input: Input,
  output: Output,
  readOnly: true,
  async open({ ledger }, { project }, input) {
    const limit = input.limit ?? defaultLimit;
    const runs = await ledger.listRuns({
      project,
      tool: input.tool ?? null,
      state: input.state ?? null,
      createdAfter: dateOf(input.created_after),
      createdBefore: dateOf(input.created_before),
      before: positionOf(input.cursor),
      limit: limit + 1, // one more tells whether there is a next page
    });
    const page = runs.slice(0, limit);
    const last = page.at(-1);
    const next = runs.length > limit && last ? cursorOf(last.runSeq) : null;
    return { kind: "output", output: { runs: page.map(rowOf), next_cursor: next } };
  },
};

function rowOf(run: ListedRun): JsonObject {
  return {
    run_id: run.runId,
    tool: run.tool,
    tool_version: run.toolVersion,
    state: run.state,
    attempt: run.attempt,
    opened_by: run.openedBy,
    created_at: run.createdAt.toISOString(),
    ended_at: run.endedAt?.toISOString() ?? null,
    code: run.code,
  };
}

function dateOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}
