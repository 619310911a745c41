import { join } from "node:path";
import { createActivities } from "../activities/activities.ts";
import { runJanitor } from "../activities/janitor/janitor.ts";
import { runReconciler } from "../activities/reconcile/reconciler.ts";
import { createActivePolicy } from "../gateway/active-policy.ts";
import { createCredentials } from "../gateway/credentials.ts";
import { createGateway } from "../gateway/gateway.ts";
import { createUploads } from "../gateway/uploads/uploads.ts";
import { loadGrants } from "../gateway/policy/load-grants.ts";
import { loadPolicy } from "../gateway/policy/load-policy.ts";
import { createDiskBlobs } from "../ledger/blobs/disk.ts";
import { createEndedAttempts } from "../ledger/ended-attempts.ts";
import { createLedger } from "../ledger/ledger.ts";
import { createTurn } from "../ledger/turn.ts";
import { createEngineDoor } from "../temporal/client-door.ts";
import { createWorker } from "../temporal/worker.ts";
import type { ToolDefinition } from "../toolpacks/contract/tool-definition.ts";
import { loadPack } from "../toolpacks/loaders/load-pack.ts";
import { createRegistry } from "../toolpacks/loaders/registry.ts";
import type { Environment, ServiceConfig } from "./config.ts";
import { packageVersion } from "./package-version.ts";

/** What a process is made of besides its configuration; a test brings its own queue and tools. */
export type Surroundings = {
  taskQueue: string;
  tools: ToolDefinition[];
  onFault(error: unknown): void;
};

const ledgerPatienceMs = 10_000; // PostgreSQL is back within seconds of being killed; calls under way wait for it

export async function shippedTools(): Promise<ToolDefinition[]> {
  return loadPack(new URL("../toolpacks/packs/artifacts/", import.meta.url));
}

export type GatewayConfig = ServiceConfig & { variables: Environment; windowMs?: number };

/** Everything of a gateway, wired. */
export async function composeGateway(config: GatewayConfig, { taskQueue, tools, onFault }: Surroundings) {
  const { databaseUrl: url, dataDir, deploymentDir: dir, importRoots, environment } = config;
  const ledger = createLedger({ url, patienceMs: ledgerPatienceMs });
  const ended = createEndedAttempts({ url });
  const engine = createEngineDoor({ address: config.temporalAddress, taskQueue });
  const active = await createActivePolicy({
    ledger,
    load: async () => ({
      policy: await loadPolicy({ dir, importRoots, env: config.variables }),
      grants: await loadGrants({ dir }),
    }),
  });
  const blobs = await createDiskBlobs({ folder: join(dataDir, "blobs"), writer: "gateway" });
  const uploads = await createUploads({ folder: join(dataDir, "uploads"), blobs, onFault });
  const gateway = createGateway({
    ledger,
    ended,
    engine,
    active,
    blobs,
    uploads,
    registry: createRegistry(tools),
    credentials: createCredentials(join(dataDir, "credentials")),
    dataDir,
    deploymentDir: dir,
    environment,
    version: packageVersion(),
    ...(config.windowMs !== undefined && { windowMs: config.windowMs }),
    onFault,
  });
  const close = async () => {
    uploads[Symbol.dispose]();
    await gateway.settle();
    await Promise.all([ended.close(), engine.close(), ledger.close()]);
  };
  return { gateway, active, close };
}

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
