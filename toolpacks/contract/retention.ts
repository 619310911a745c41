import { z } from "zod";

import { Duration } from "./duration.ts";

const dayMs = 86_400_000;
const leastGraceMs = 600_000;

/**
 * The part of grants.yaml that says how long things live. The grace has a least: a run's file is
 * in the store before its row is in the ledger, and who removes files without rows must not be quicker than the run.
 */
export const Retention = z.strictObject({
  logs: Duration.optional(),
  unreferenced_blobs: Duration.optional(),
  gc_grace: Duration.refine((ms) => ms >= leastGraceMs, { error: 'must be "10m" or more' }).optional(),
});
export type Retention = z.infer<typeof Retention>;

/** Ages in milliseconds from which logs, blobs that nothing refers to, and condemned blobs are removed. */
export type RetentionTimes = { logsMs: number; unreferencedMs: number; graceMs: number };

export function retentionTimesOf({ logs, unreferenced_blobs, gc_grace }: Retention = {}): RetentionTimes {
  return {
    logsMs: logs ?? 90 * dayMs,
    unreferencedMs: unreferenced_blobs ?? 7 * dayMs,
    graceMs: gc_grace ?? 3_600_000,
  };
}
