import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { CallResponse } from "../../../toolpacks/contract/envelope.ts";

const effect = { kind: "file", target: "out/report.html", bytes: 12 };
const metrics = { duration_ms: 3, cpu_ms: 1.5, memory_peak_mb: 20 };

const answer = (parts: object) => ({
  call_id: randomUUID(),
  run_id: null,
  status: "success",
  output: {},
  side_effects: [effect],
  warnings: [],
  commit_token: null,
  metrics,
  provenance: {
    tool_id: "artifact_get",
    tool_version: "1.0.0",
    digest: null,
    trace_id: randomUUID(),
    answered_at: new Date().toISOString(),
    replayed: false,
  },
  ...parts,
});
const isAnswer = (parts: object): boolean => CallResponse.safeParse(answer(parts)).success;

test("an answer tells of each side effect its kind, target and bytes, no less and no more (C40)", () => {
  const less = ["kind", "target", "bytes"].map((missing) => ({ ...effect, [missing]: undefined }));

  expect(isAnswer({ side_effects: [effect] })).toBe(true);
  expect(less.map((one) => isAnswer({ side_effects: [one] }))).toEqual([false, false, false]);
  expect(isAnswer({ side_effects: [{ ...effect, note: "more" }] })).toBe(false);
});

test("an answer has its duration, CPU time and peak memory (C41)", () => {
  const less = ["duration_ms", "cpu_ms", "memory_peak_mb"].map((missing) => ({ ...metrics, [missing]: undefined }));

  expect(isAnswer({ metrics })).toBe(true);
  expect(less.map((one) => isAnswer({ metrics: one }))).toEqual([false, false, false]);
});
