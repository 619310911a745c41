import { serve, type ServerType } from "@hono/node-server";
import type { AddressInfo } from "node:net";
import type { BlobStore } from "../ledger/blobs/store.ts";
import type { EndedAttempts } from "../ledger/ended-attempts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { EngineDoor } from "../temporal/client-door.ts";
import type { Registry } from "../toolpacks/loaders/registry.ts";
import type { ActivePolicy } from "./active-policy.ts";
import { createAuthenticate } from "./admission/authenticate.ts";
import { createCanonicalise } from "./admission/canonicalise.ts";
import { createCheckEnvelope, type Environment } from "./admission/check-envelope.ts";
import { createFindKey } from "./admission/find-key.ts";
import { createForesight } from "./admission/foresight.ts";
import { createGateCall } from "./admission/gate-call.ts";
import { createGatePlan } from "./admission/gate-plan.ts";
import { createIdentify } from "./admission/identify.ts";
import { createImportRoots } from "./admission/import-roots.ts";
import { createPipeline, type Admit } from "./admission/pipeline.ts";
import { createRateLimit } from "./admission/rate-limit.ts";
import { createReplayLog } from "./admission/replay-log.ts";
import { createReplayOrStart } from "./admission/replay-or-start.ts";
import { createResolve } from "./admission/resolve.ts";
import { createStorageQuota } from "./admission/storage-quota.ts";
import { createStoredRun } from "./admission/stored-run.ts";
import type { Credentials } from "./credentials.ts";
import { createDoors } from "./doors/doors.ts";
import { createApp } from "./http/app.ts";
import { createArtifactRoutes } from "./http/artifacts/routes.ts";
import { createHealth } from "./http/health.ts";
import { requestOf } from "./http/serve-mcp.ts";
import { createMcp } from "./mcp/server.ts";
import { createResources } from "./mcp/resources.ts";
import { createThumbnailOf } from "./mcp/thumbnail.ts";
import { createToolList } from "./mcp/tool-list.ts";
import { createOperatorRoutes } from "./operator/routes.ts";
import type { Uploads } from "./uploads/uploads.ts";

export type GatewayDeps = {
  ledger: Ledger;
  blobs: BlobStore;
  uploads: Uploads;
  ended: EndedAttempts;
  engine: EngineDoor;
  registry: Registry;
  active: ActivePolicy;
  credentials: Credentials;
  dataDir: string;
  deploymentDir: string;
  environment: Environment;
  version: string;
  /** Default 45 s: most clients give up at 60. */
  windowMs?: number;
  clock?(): number;
  onFault(error: unknown): void;
};

const inlineDeadlineMs = 60_000;
const inlineTimeoutMs = 30_000;
const runTtlMs = 14 * 24 * 3_600_000;

/** The gateway: how callers come in. `admit` is the one pipeline behind all of its doors. */
export function createGateway(deps: GatewayDeps) {
  const { ledger, active, registry, onFault, clock = Date.now } = deps;
  const replays = createReplayLog({ ledger });
  const admit = createAdmission({ ...deps, clock, replays });
  const doors = createDoors({ ...deps, grants: active.grants, clock });
  const defaults = {
    environment: deps.environment,
    timeoutMs: inlineTimeoutMs,
    deadlineMs: () => active.grants().deadlines?.inline ?? inlineDeadlineMs,
    clock,
  };
  const mcp = createMcp({
    admit,
    doors,
    resources: createResources({ ...deps, grants: active.grants }),
    thumbnailOf: createThumbnailOf(deps),
    toolList: createToolList({ registry, doors, grants: active.grants }),
    defaults,
    version: deps.version,
    onFault,
    requestOf,
  });
  const authenticate = createAuthenticate({
    credentials: deps.credentials,
    scopesOf: () => active.grants().local?.scopes ?? [], // whoever can read the data directory is the local user
  });
  const health = createHealth({ ledger, clock });
  const artifacts = createArtifactRoutes({
    ...deps,
    ...active,
    admit,
    defaults,
    seen: health.seen,
    quota: createStorageQuota({ ledger, ...active }),
  });
  const operator = createOperatorRoutes({ ...deps, ...active, seen: health.seen });
  const app = createApp({ authenticate, mcp, health, artifacts, operator, onFault });
  return {
    admit,
    fetch: app.fetch,
    listen: (port: number) => listen(app.fetch, port),
    settle: () => replays.flush(),
  };
}

type AdmissionDeps = GatewayDeps & { clock(): number; replays: ReturnType<typeof createReplayLog> };

function createAdmission(deps: AdmissionDeps): Admit {
  const { ledger, active, registry, clock, environment } = deps;
  const { policy, policyHash, grants } = active;
  const foresight = createForesight({ ledger });
  return createPipeline({
    ...deps,
    steps: {
      checkEnvelope: createCheckEnvelope({ environment, clock }),
      gateCall: createGateCall({ grants, registry, rate: createRateLimit({ clock }) }),
      foresee: foresight.foresee,
      findKey: createFindKey({ ledger }),
      storedRun: createStoredRun({ ledger }),
      resolve: createResolve({ registry, policy }),
      canonicalise: createCanonicalise({
        ...deps,
        policy,
        roots: createImportRoots(deps),
        quota: createStorageQuota({ ledger, grants }),
      }),
      gatePlan: createGatePlan({ policy }),
      identify: createIdentify({ policyHash }),
      replayOrStart: createReplayOrStart({
        ...deps,
        foresight,
        windowMs: deps.windowMs ?? 45_000,
        runTtlMs: () => grants().deadlines?.run_ttl ?? runTtlMs,
      }),
    },
  });
}

const partingMs = 3_000;

/** Loopback only. Resolves when the port is open; `close` waits for calls under way, and cuts what takes long: transfers resume. */
function listen(
  fetch: Parameters<typeof serve>[0]["fetch"],
  port: number,
): Promise<{ port: number; close(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const serverOptions = { requestTimeout: 0 }; // an upload may take hours; its silence is what ends it
    const server = serve({ fetch, port, hostname: "127.0.0.1", serverOptions }, (info: AddressInfo) =>
      resolve({ port: info.port, close: () => closed(server) }),
    );
    server.on("error", reject);
  });
}

async function closed(server: ServerType): Promise<void> {
  const cut = () => "closeAllConnections" in server && server.closeAllConnections();
  const parting = setTimeout(cut, partingMs);
  await new Promise((done) => server.close(done));
  clearTimeout(parting);
}
