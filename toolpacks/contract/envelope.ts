import { z } from "zod";
import { ActorId, CallId, RunId } from "./ids.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { jsonSchemaOf } from "./json-schema.ts";

// What arrives was parsed as JSON already: looking through it once more would only cost time.
const AnyJson = z.custom<Json>((value) => value !== undefined, "is required");

// Strict at every level: an unknown member is refused, so that a misspelt constraint is never silently ignored (C11).

const RetryPolicy = z.strictObject({
  max_attempts: z.int().min(1).max(20),
  base_ms: z.int().min(0).max(600_000),
  cap_ms: z.int().min(0).max(600_000),
  jitter: z.enum(["none", "full"]),
});

export const CallContext = z.strictObject({
  actor_id: ActorId,
  scopes: z.array(z.string().min(1)).optional(),
  trace_id: z.uuid(),
  parent_span_id: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .nullish(),
  locale: z.string().min(1).optional(),
  timezone: z.string().min(1),
  clock: z.enum(["monotonic", "wall"]).optional(),
  env: z.enum(["prod", "staging", "dev"]),
});

const CallConstraints = z.strictObject({
  timeout_ms: z.int().min(1).max(600_000),
  deadline_unix_ms: z.int().min(0),
  idempotency_key: z.string().min(16).max(256).optional(),
  memory_mb_limit: z.int().min(16).optional(),
  net_allowlist: z.array(z.string().min(1)).optional(),
  retry_policy: RetryPolicy.optional(),
});

/** What a caller sends (C34-C37), whichever door it came through. */
export const CallRequest = z.strictObject({
  call_id: CallId,
  tool_id: z.string().regex(/^[a-z0-9._-]+$/),
  tool_version: z.string().min(1).max(256),
  fn: z.string().min(1).max(64),
  input: AnyJson,
  context: CallContext,
  constraints: CallConstraints,
});
export type CallRequest = z.infer<typeof CallRequest>;

const CallError = z.strictObject({
  code: z.string().min(1),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
});

const SideEffect = z.strictObject({ kind: z.string(), target: z.string(), bytes: z.int().nonnegative() });

const Metrics = z.strictObject({
  duration_ms: z.int().nonnegative(),
  cpu_ms: z.number().nonnegative(),
  memory_peak_mb: z.number().nonnegative(),
});

const Provenance = z.strictObject({
  tool_id: z.string(),
  tool_version: z.string(),
  digest: z.string().nullable(),
  trace_id: z.uuid(),
  answered_at: z.iso.datetime(),
  replayed: z.boolean(),
  replayed_from: z.iso.datetime().optional(),
});

const Common = {
  call_id: CallId,
  run_id: RunId.nullable(),
  metrics: Metrics,
  provenance: Provenance,
};
const Settled = {
  ...Common,
  side_effects: z.array(SideEffect),
  warnings: z.array(z.string()),
  commit_token: z.string().nullable(),
};

/** What a caller gets: one of four outcomes (C10, C39). `output` only with success, `error` only without (C43). */
export const CallResponse = z.discriminatedUnion("status", [
  z.strictObject({ ...Settled, status: z.literal("success"), output: AnyJson }),
  z.strictObject({ ...Settled, status: z.literal("retryable_error"), error: CallError }),
  z.strictObject({ ...Settled, status: z.literal("terminal_error"), error: CallError }),
  z.strictObject({ ...Settled, status: z.literal("invalid_request"), error: CallError }),
]);
export type CallResponse = z.infer<typeof CallResponse>;

/** An interim answer: the call is not resolved yet, its run goes on. */
export const PendingResponse = z.strictObject({
  ...Common,
  status: z.literal("pending"),
  state: z.enum(["queued", "running"]),
  poll_after_ms: z.int().nonnegative(),
  next: z.string(),
});
export type PendingResponse = z.infer<typeof PendingResponse>;

export type Answer = CallResponse | PendingResponse;

/** The schema of every answer of one tool, as MCP publishes it: one flat object, with the tool's own schema at `output`. */
export function answerSchemaFor(outputSchema: JsonObject): JsonObject {
  const { properties } = flatAnswer;
  return { ...flatAnswer, properties: { ...(isJsonObject(properties) && properties), output: outputSchema } };
}

// Clients validate errors too, and some know no `oneOf` at the root: hence one object in which only the common part is required.
const Flat = z.strictObject({
  ...Common,
  status: z.enum(["success", "retryable_error", "terminal_error", "invalid_request", "pending"]),
  output: z.unknown().optional(),
  error: CallError.optional(),
  side_effects: Settled.side_effects.optional(),
  warnings: Settled.warnings.optional(),
  commit_token: Settled.commit_token.optional(),
  state: PendingResponse.shape.state.optional(),
  poll_after_ms: PendingResponse.shape.poll_after_ms.optional(),
  next: PendingResponse.shape.next.optional(),
});
const flatAnswer = jsonSchemaOf(Flat);
