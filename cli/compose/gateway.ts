import { join } from "node:path";
import { createActivePolicy } from "../../gateway/active-policy.ts";
import { createCredentials } from "../../gateway/credentials.ts";
import { createGateway } from "../../gateway/gateway.ts";
import { createUploads } from "../../gateway/uploads/uploads.ts";
import { loadGrants } from "../../gateway/policy/load-grants.ts";
import { loadPolicy } from "../../gateway/policy/load-policy.ts";
import { createDiskBlobs } from "../../ledger/blobs/disk.ts";
import { createEndedAttempts } from "../../ledger/ended-attempts.ts";
import { createLedger } from "../../ledger/ledger.ts";
import { createEngineDoor } from "../../temporal/client-door.ts";
import { createRegistry } from "../../toolpacks/loaders/registry.ts";
import type { Environment, ServiceConfig } from "../config.ts";
import { packageVersion } from "../package-version.ts";
import { ledgerPatienceMs, type Surroundings } from "./surroundings.ts";

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
