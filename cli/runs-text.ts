import { z } from "zod";
import { complaint, exitCodes } from "./complaint.ts";

// What the doors answer, as far as it is printed; the doors' own schemas are stricter.

const Row = z.object({
  run_id: z.string(),
  tool: z.string(),
  state: z.string(),
  created_at: z.string(),
  code: z.string().nullable(),
});

export function runsAsTable(output: unknown): string {
  const { runs } = z.object({ runs: z.array(Row) }).parse(output);
  if (runs.length === 0) return "no runs";
  return runs
    .map((run) =>
      [run.created_at, run.state.padEnd(9), run.tool.padEnd(24), run.run_id, run.code ?? ""].join("  ").trimEnd(),
    )
    .join("\n");
}

const Receipt = z.object({
  run_id: z.string(),
  tool: z.string(),
  tool_version: z.string(),
  digest: z.string(),
  contract_version: z.string(),
  policy_hash: z.string(),
  params: z.unknown(),
  state: z.string(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  queued_ms: z.number().nullable(),
  running_ms: z.number().nullable(),
  inputs: z.array(z.object({ role: z.string(), artifact_id: z.string() })),
  outputs: z.array(z.object({ role: z.string(), artifact_id: z.string(), label: z.string() })),
  attempts: z.array(
    z.object({
      attempt: z.number(),
      state: z.string(),
      opened_by: z.string(),
      created_at: z.string(),
      code: z.string().nullable(),
    }),
  ),
  calls: z.object({ total: z.number(), replayed: z.number(), actors: z.array(z.string()) }),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

export function receiptAsText(output: unknown): string {
  const run = Receipt.parse(output);
  const lines = [
    ["run", run.run_id],
    ["state", run.state],
    ["tool", `${run.tool} ${run.tool_version} (contract ${run.contract_version})`],
    ["build", `sha256:${run.digest}`],
    ["policy", `sha256:${run.policy_hash}`],
    ["params", JSON.stringify(run.params)],
    ["asked", `${run.calls.total} times by ${run.calls.actors.join(", ")}, ${run.calls.replayed} of them replayed`],
    ["when", `opened ${run.created_at}, started ${run.started_at ?? "-"}, ended ${run.ended_at ?? "-"}`],
    ["took", `queued ${run.queued_ms ?? "-"} ms, ran ${run.running_ms ?? "-"} ms`],
    ...run.attempts.map((a) => [
      "attempt",
      [a.attempt, a.state, a.created_at, `by ${a.opened_by}`, a.code ?? ""].join(" ").trimEnd(),
    ]),
    ...run.inputs.map((input) => ["input", `${input.role} ${input.artifact_id}`]),
    ...run.outputs.map((made) => ["output", `${made.role} ${made.artifact_id} (${made.label})`]),
    ...(run.result === undefined ? [] : [["result", JSON.stringify(run.result)]]),
    ...(run.error === undefined ? [] : [["error", JSON.stringify(run.error)]]),
  ];
  return lines.map(([name = "", value = ""]) => `${name.padEnd(8)} ${value}`).join("\n");
}

export function lineageText(output: unknown): string {
  return z.object({ text: z.string() }).parse(output).text;
}

export function logArtifactOf(output: unknown): string {
  const log = Receipt.parse(output).outputs.find(({ role }) => role === "log");
  if (!log) throw complaint("the run has no log yet. Fix: helixrun runs wait RUN", exitCodes.terminal);
  return log.artifact_id;
}

export function previewText(output: unknown): string {
  return z.object({ text: z.string() }).parse(output).text.trimEnd();
}
