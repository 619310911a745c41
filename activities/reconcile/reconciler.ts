import { setTimeout as pause } from "node:timers/promises";
import type { Turn } from "../../ledger/turn.ts";
import { reconcile, type ReconcileDeps } from "./reconcile.ts";

// With 60 s a wiped engine took 57 s to recover, with 2 s under 5 s (measured).
const everyMs = 2_000;

/** Reconciles at start and then every two seconds, until the signal; after any fault everything is looked at again. */
export async function runReconciler(
  deps: ReconcileDeps & { turn: Turn; onFault(error: unknown): void },
  signal: AbortSignal,
): Promise<void> {
  let engineBackAt = new Date();
  while (!signal.aborted) {
    try {
      if (await deps.turn.isOurs()) await reconcile(deps, { everyMs, engineBackAt });
    } catch (error) {
      deps.onFault(error); // engine or ledger away: what we know of their state is worth nothing now
      engineBackAt = new Date();
    }
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
