import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { CallContext } from "../../toolpacks/contract/envelope.ts";

/** What a test may want to say about a call besides its tool and input. */
export type Ask = {
  callId?: string;
  version?: string;
  key?: string;
  timeoutMs?: number;
  deadlineInMs?: number;
  context?: Partial<z.input<typeof CallContext>>;
};

/** A complete envelope, as a careful client would send it. */
export function requestOf(tool: string, input: unknown, ask: Ask = {}) {
  return {
    call_id: ask.callId ?? randomUUID(),
    tool_id: tool,
    tool_version: ask.version ?? "*",
    fn: "run",
    input,
    context: { actor_id: "local", trace_id: randomUUID(), timezone: "UTC", env: "dev", ...ask.context },
    constraints: {
      timeout_ms: ask.timeoutMs ?? 10_000,
      deadline_unix_ms: Date.now() + (ask.deadlineInMs ?? 30_000),
      ...(ask.key !== undefined && { idempotency_key: ask.key }),
    },
  };
}
