import { randomUUID } from "node:crypto";
import { isJsonObject } from "../../toolpacks/contract/json.ts";
import type { Environment } from "../admission/check-envelope.ts";
import type { Caller } from "../admission/authenticate.ts";

/** Where MCP callers put what an envelope has and MCP has not. */
const callMetaKey = "dev.helixrun/call";

export type McpCall = { name: string; arguments: unknown; meta: Record<string, unknown> | undefined };

export type EnvelopeDefaults = { environment: Environment; timeoutMs: number; deadlineMs(): number; clock(): number };

/**
 * MCP's name, arguments and `_meta` become an envelope. Only what is missing is filled in: whatever the caller wrote,
 * wrong or unknown members included, is left for `check-envelope.ts` to judge.
 */
export function envelopeOf(
  { environment, timeoutMs, deadlineMs, clock }: EnvelopeDefaults,
  caller: Caller,
  call: McpCall,
): unknown {
  const written = call.meta?.[callMetaKey] ?? {};
  if (!isJsonObject(written)) return { "dev.helixrun/call": written };
  const { context, constraints, idempotency_key, ...rest } = written;
  const { fn, tool_version, call_id, ...unknown } = rest;
  return {
    ...unknown,
    call_id: call_id ?? randomUUID(),
    tool_id: call.name,
    tool_version: tool_version ?? "*",
    fn: fn ?? "run",
    input: call.arguments ?? {},
    context: filled(context, { actor_id: caller.actor, trace_id: randomUUID(), timezone: "UTC", env: environment }),
    constraints: filled(constraints, {
      timeout_ms: timeoutMs,
      deadline_unix_ms: clock() + deadlineMs(),
      ...(idempotency_key !== undefined && { idempotency_key }),
    }),
  };
}

function filled(written: unknown, defaults: Record<string, unknown>): unknown {
  return written === undefined ? defaults : isJsonObject(written) ? { ...defaults, ...written } : written;
}
