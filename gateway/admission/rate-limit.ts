import type { Rate } from "../../toolpacks/contract/rate.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "./authenticate.ts";

/** A bucket for each actor and project: full, it holds `count` calls, and fills again over the rate's period. */
export type RateLimit = { take(caller: Caller, rate: Rate | undefined): void };

export function createRateLimit({ clock }: { clock(): number }): RateLimit {
  const buckets = new Map<string, { calls: number; at: number }>();
  return {
    take({ project, actor }, rate) {
      if (rate === undefined) return;
      const now = clock();
      const name = `${project} ${actor}`;
      const bucket = buckets.get(name) ?? { calls: rate.count, at: now };
      const calls = Math.min(rate.count, bucket.calls + ((now - bucket.at) * rate.count) / rate.perMs);
      if (calls < 1)
        throw new ToolError("R-CAP-002", { retryAfterMs: Math.ceil(((1 - calls) * rate.perMs) / rate.count) });
      buckets.set(name, { calls: calls - 1, at: now });
    },
  };
}
