import { join } from "node:path";
import { createActivities } from "../../activities/activities.ts";
import { runJanitor } from "../../activities/janitor/janitor.ts";
import { runReconciler } from "../../activities/reconcile/reconciler.ts";
import { createDiskBlobs } from "../../ledger/blobs/disk.ts";
import { createLedger } from "../../ledger/ledger.ts";
import { createTurn } from "../../ledger/turn.ts";
import { createEngineDoor } from "../../temporal/client-door.ts";
import { createWorker } from "../../temporal/worker.ts";
import { createRegistry } from "../../toolpacks/loaders/registry.ts";
import type { ServiceConfig } from "../config.ts";
import { ledgerPatienceMs, type Surroundings } from "./surroundings.ts";

/** Everything of a worker, wired: it carries out attempts and, when it is its turn, reconciles and cleans up. */
export async function composeWorker(
  config: ServiceConfig,
  bundle: string,
  { taskQueue, tools, onFault }: Surroundings,
) {
  const { databaseUrl: url, temporalAddress: address, dataDir } = config;
  const ledger = createLedger({ url, patienceMs: ledgerPatienceMs });
  const engine = createEngineDoor({ address, taskQueue });
  const turn = createTurn({ url, of: "reconciler" });
  const janitorTurn = createTurn({ url, of: "janitor" });
  const blobs = await createDiskBlobs({ folder: join(dataDir, "blobs"), writer: "worker" });
  const activities = createActivities({ ledger, blobs, tools: createRegistry(tools), onFault });
  const worker = await createWorker({ address, taskQueue, bundle, activities });
  const stopping = new AbortController();
  return {
    async run() {
      const reconciling = runReconciler({ ledger, engine, turn, onFault }, stopping.signal);
      const cleaning = runJanitor({ ledger, blobs, turn: janitorTurn, onFault }, stopping.signal);
      try {
        await worker.run();
      } finally {
        stopping.abort();
        await Promise.all([reconciling, cleaning]);
        await Promise.all([turn.close(), janitorTurn.close(), engine.close(), ledger.close()]);
      }
    },
    stop: () => worker.stop(),
  };
}
