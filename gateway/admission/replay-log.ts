import { setTimeout as pause } from "node:timers/promises";
import type { ReplayedCall } from "../../ledger/calls.ts";
import type { Ledger } from "../../ledger/ledger.ts";

/** Writes the rows of replayed calls in batches, at most a second behind: an answer does not wait for its row. */
export type ReplayLog = { record(replay: ReplayedCall): Promise<void>; flush(): Promise<void> };

const flushAfterMs = 100;
const againAfterMs = 500;
const batchSize = 500;
const patienceRows = 5_000; // with more than this in line, callers wait too: rows are never dropped

export function createReplayLog({ ledger }: { ledger: Pick<Ledger, "recordReplays"> }): ReplayLog {
  let line: ReplayedCall[] = [];
  let writing: Promise<void> | undefined;

  const writeAll = async () => {
    await pause(flushAfterMs);
    while (line.length > 0) {
      const batch = line.slice(0, batchSize);
      try {
        await ledger.recordReplays(batch);
        line = line.slice(batch.length);
      } catch {
        await pause(againAfterMs); // the ledger is away: they stay in line
      }
    }
    writing = undefined;
  };
  return {
    async record(replay) {
      line.push(replay);
      writing ??= writeAll();
      if (line.length > patienceRows) await writing;
    },
    flush: async () => writing,
  };
}
