import { randomUUID } from "node:crypto";
import type { Answer, CallRequest } from "../toolpacks/contract/envelope.ts";
import { CallId, type RunId } from "../toolpacks/contract/ids.ts";
import type { Json } from "../toolpacks/contract/json.ts";
import type { OpenState } from "../toolpacks/contract/states.ts";
import type { StoredError } from "../toolpacks/contract/stored-error.ts";

/** What is known of a call when it is answered: little if its envelope was wrong, all of it if it ran. */
export type Asked = {
  callId: CallId;
  traceId: string;
  tool: string;
  version: string;
  digest: string | null;
  runId: RunId | null;
  warnings: string[];
  began: number;
};

export type Said =
  | { kind: "output"; output: Json; replayedFrom?: Date }
  | { kind: "error"; error: StoredError }
  | { kind: "pending"; state: OpenState; next: string };

const pollAfterMs = 1_000;

/** The response envelope: one shape for every call, with metrics and provenance always there (C39-C45). */
export function answerOf(asked: Asked, said: Said, now: number): Answer {
  const replayedFrom = said.kind === "output" ? said.replayedFrom : undefined;
  const common = {
    call_id: asked.callId,
    run_id: asked.runId,
    metrics: { duration_ms: Math.max(0, Math.round(now - asked.began)), cpu_ms: 0, memory_peak_mb: 0 },
    provenance: {
      tool_id: asked.tool,
      tool_version: asked.version,
      digest: asked.digest,
      trace_id: asked.traceId,
      answered_at: new Date(now).toISOString(),
      replayed: replayedFrom !== undefined,
      ...(replayedFrom && { replayed_from: replayedFrom.toISOString() }),
    },
  };
  if (said.kind === "pending")
    return { ...common, status: "pending", state: said.state, poll_after_ms: pollAfterMs, next: said.next };
  const settled = { ...common, side_effects: [], warnings: asked.warnings, commit_token: null };
  if (said.kind === "output") return { ...settled, status: "success", output: said.output };
  const { status, code, message, details } = said.error;
  return { ...settled, status, error: { code, message, details: { ...details, trace_id: asked.traceId } } };
}

/** What can be told of a request that may not even be an envelope. */
export function askedOf(raw: unknown, began: number): Asked {
  const request: Partial<CallRequest> = typeof raw === "object" && raw !== null ? raw : {};
  const callId = CallId.safeParse(request.call_id);
  const traceId: unknown = request.context?.trace_id;
  return {
    callId: callId.success ? callId.data : CallId.parse(randomUUID()),
    traceId: typeof traceId === "string" && uuid.test(traceId) ? traceId : randomUUID(),
    tool: textOf(request.tool_id),
    version: textOf(request.tool_version),
    digest: null,
    runId: null,
    warnings: [],
    began,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
