import type { FinalState } from "./states.ts";

/** All that Temporal learns of how an attempt ended; the rest is in the ledger. */
export type AttemptEnd = { state: FinalState | "taken_by_another"; code?: string };
