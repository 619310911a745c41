import { setTimeout as pause } from "node:timers/promises";
import { exitCodes, isComplaint } from "../../cli/complaint.ts";
import { postToolCall, type ToolCall } from "../../cli/mcp-post.ts";
import type { Answer } from "../../toolpacks/contract/envelope.ts";

const patienceMs = 60_000;
const againAfterMs = 200;

export type Settled = Exclude<Answer, { status: "pending" | "retryable_error" }>;

/**
 * A tool call as a careful client makes it: sent again, unchanged, when the connection broke, when the answer says
 * that it may be, or when the run goes on; for a minute at most. What must not be repeated is the end of it.
 */
export async function patientCall(gateway: { mcpUrl: string; token: string }, call: ToolCall): Promise<Settled> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const answer = await postToolCall(gateway, call).catch((error: unknown) => brokenConnection(error));
    if (!(answer instanceof Error) && isSettled(answer)) return answer;
    if (Date.now() > until) throw new Error(`no end in ${patienceMs} ms; the last was ${saidBy(answer)}`);
    await pause(waitAfter(answer));
  }
}

/** A reply that is no envelope is a fault of the gateway, and no reason to ask again. */
function brokenConnection(error: unknown): Error {
  if (isComplaint(error) && error.exitCode === exitCodes.retryable) return error;
  throw error;
}

function isSettled(answer: Answer): answer is Settled {
  return answer.status !== "pending" && answer.status !== "retryable_error";
}

function waitAfter(answer: Answer | Error): number {
  if (answer instanceof Error || answer.status !== "retryable_error") return againAfterMs;
  return Number(answer.error.details["retry_after_ms"] ?? againAfterMs);
}

const saidBy = (answer: Answer | Error): string =>
  answer instanceof Error ? String(answer.cause ?? answer) : JSON.stringify(answer);
