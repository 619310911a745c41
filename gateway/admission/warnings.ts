import type { KeyedCall } from "./find-key.ts";

/** What a caller asked for that has no effect on this call: said, never silently ignored (C5). */
export function warningsOf({ request: { constraints }, determinism }: KeyedCall): string[] {
  const { memory_mb_limit, net_allowlist, retry_policy, idempotency_key } = constraints;
  return [
    ...(memory_mb_limit === undefined
      ? []
      : ["memory_mb_limit has no effect: built-in tools run in the worker itself."]),
    ...(net_allowlist === undefined ? [] : ["net_allowlist has no effect: built-in tools have no network."]),
    ...(retry_policy === undefined ? [] : ["retry_policy has no effect: built-in tools are tried once."]),
    ...(idempotency_key !== undefined && determinism === "pure"
      ? ["idempotency_key is recorded but not needed: a pure tool's run is known by its input."]
      : []),
  ];
}
