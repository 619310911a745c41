import { setTimeout as pause } from "node:timers/promises";
import type { BlobStore } from "../../ledger/blobs/store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Turn } from "../../ledger/turn.ts";
import { createPace } from "./pace.ts";

export type JanitorDeps = {
  ledger: Pick<Ledger, "activeRetention" | "collectGarbage" | "scrubBlobs">;
  blobs: BlobStore;
  turn: Turn;
  onFault(error: unknown): void;
};

const usually = { everyMs: 60_000, collectEveryMs: 3_600_000 };

// What was verified a week ago is verified again. 16 MiB a second leave a disk to those who work, and are 9 TiB a week.
const verifiedForMs = 7 * 86_400_000;
const scrubBytesPerSecond = 16 * 2 ** 20;
const scrubBytesAtATime = (scrubBytesPerSecond * usually.everyMs) / 1_000;

/** Cleans up when it is this worker's turn: once an hour it collects, in between it re-reads what nobody has read for long. */
export async function runJanitor(
  deps: JanitorDeps,
  signal: AbortSignal,
  { everyMs, collectEveryMs } = usually,
): Promise<void> {
  let collectAt = 0;
  for (;;) {
    await pause(everyMs, undefined, { signal }).catch(() => undefined); // not at once: a start has better things to do
    if (signal.aborted) return;
    try {
      if (!(await deps.turn.isOurs())) continue;
      if (performance.now() >= collectAt) {
        await collect(deps, signal);
        collectAt = performance.now() + collectEveryMs;
      }
      await scrub(deps, signal);
    } catch (error) {
      if (!signal.aborted) deps.onFault(error); // the ledger is away, or a disk is: in a minute we try again
    }
  }
}

async function collect({ ledger, blobs }: JanitorDeps, signal: AbortSignal): Promise<void> {
  await ledger.collectGarbage({ blobs, retention: await ledger.activeRetention(), actor: "janitor", signal });
}

async function scrub({ ledger, blobs }: JanitorDeps, signal: AbortSignal): Promise<void> {
  const pace = createPace(scrubBytesPerSecond, signal);
  await ledger.scrubBlobs({ blobs, pace, olderThanMs: verifiedForMs, maxBytes: scrubBytesAtATime, signal });
}
