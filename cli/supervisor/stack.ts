import type { Config } from "../config.ts";
import { type Child, keepRunning } from "./child.ts";
import { endLeftovers } from "./end-leftovers.ts";
import { createLeash } from "./leash.ts";
import { ensureLocalCredential } from "./local-credential.ts";
import { logFileOf } from "./log-file.ts";
import { choosePorts, type Ports } from "./ports.ts";
import type { Programs } from "./programs.ts";
import { createPublisher } from "./publisher.ts";
import { refuseHalfRestored } from "./restore-mark.ts";
import type { Service, ServiceName } from "./service.ts";
import { nodeService, postgresService } from "./services.ts";
import { removeStack, type Stack, writeStack } from "./stack-file.ts";
import { createStackView, type Shown } from "./stack-view.ts";
import type { Talk } from "./talk.ts";
import { chooseTemporal } from "./temporal-choice.ts";
import { within } from "./until.ts";

export type OwnStack = {
  /** Brings everything up, once; stops it all again where that fails. */
  start(): Promise<Stack>;
  stop(): Promise<void>;
  signal(name: ServiceName, signal: NodeJS.Signals): void;
};

/** The stack of a data directory whose lock we hold. */
export function createStack(config: Config, { setpriv }: Programs, talk: Talk): OwnStack {
  const { dataDir, deploymentDir, cacheDir, importRoots } = config;
  const children: Child[] = [];
  const stopping = new AbortController();
  const leash = createLeash(setpriv, stopping.signal);
  const stackOf = createStackView(config, children);
  let shown: Shown | undefined;
  const publisher = createPublisher(
    () => shown && stackOf(shown),
    async (stack) => stack && writeStack(stack),
  );
  let stopped: Promise<void> | undefined;

  return { start: () => bringUp().catch(takeDown), stop, signal: (name, signal) => childNamed(name)?.signal(signal) };

  async function bringUp(): Promise<Stack> {
    await refuseHalfRestored(dataDir);
    await endLeftovers(dataDir, talk.say);
    const ports = await choosePorts(dataDir, config.ports);
    shown = { status: "starting", step: "starting", ports, temporalAddress: null, temporalUiUrl: null };
    await publisher.publish();
    await ensureLocalCredential(dataDir);

    const [databaseUrl, temporalAddress] = await Promise.all([bringUpPostgres(ports), bringUpTemporal(ports)]);
    await timed("ledger", "migrated", () =>
      within(120_000, "migrating the ledger", stopping.signal, () => migrateLedger(databaseUrl)),
    );
    const service = {
      databaseUrl,
      temporalAddress,
      dataDir,
      deploymentDir,
      cacheDir,
      importRoots,
      port: ports.gateway,
    };
    await Promise.all(
      (["worker", "gateway"] as const).map((name) => serve(nodeService(name, service, config.environment))),
    );
    show({ status: "ready", step: "serving" });
    await publisher.publish();
    return stackOf(shown);
  }

  async function bringUpPostgres(ports: Ports): Promise<string> {
    if (config.databaseUrl) {
      talk.say("  postgres   DATABASE_URL");
      return config.databaseUrl;
    }
    const { prepareServer } = await import("../../ledger/server/embedded-server.ts");
    const server = await prepareServer({
      dataDir,
      cacheDir,
      port: ports.postgres,
      leash,
      say: (line) => talk.say(`  postgres   ${line}`),
    });
    await serve(postgresService(server));
    return server.databaseUrl;
  }

  async function bringUpTemporal(ports: Ports): Promise<string> {
    show({ step: "looking for a Temporal server (building one takes about 5 minutes, once)" });
    const { address, uiUrl, service } = await chooseTemporal(config, ports, leash, talk);
    show({ step: "starting", temporalAddress: address, temporalUiUrl: uiUrl });
    if (service) await serve(service);
    return address;
  }

  function serve(service: Service): Promise<void> {
    stopping.signal.throwIfAborted();
    const child = keepRunning(service, {
      log: logFileOf(dataDir, service.name),
      setpriv,
      changed: () => void publisher.publish(),
      say: talk.say,
    });
    children.push(child);
    return timed(service.name, "ready", () => Promise.race([child.firstReady, whenAborted(stopping.signal)]));
  }

  async function timed(name: string, done: string, work: () => Promise<unknown>): Promise<void> {
    const begun = Date.now();
    await work();
    talk.say(`  ${name.padEnd(10)} ${done} in ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  }

  async function takeDown(error: unknown): Promise<never> {
    await stop();
    throw error;
  }

  function stop(): Promise<void> {
    stopping.abort(new Error("stopped before it was up"));
    return (stopped ??= stopAll());
  }

  // In reverse order: nobody loses what it stands on. Postgres last, alone, so that all has been written.
  async function stopAll(): Promise<void> {
    show({ status: "stopping", step: "stopping" });
    const begun = Date.now();
    for (const names of [["gateway", "worker"], ["temporal"], ["postgres"]] as const) {
      const left = Math.max(500, stopWithin - (Date.now() - begun));
      await Promise.all(names.map(async (name) => childNamed(name)?.stop(left)));
    }
    shown = undefined; // whatever still comes to an end writes no file any more
    await publisher.publish();
    await removeStack(dataDir);
  }

  function show(change: Partial<Shown>): void {
    if (!shown) return;
    shown = { ...shown, ...change };
    void publisher.publish();
  }

  function childNamed(name: ServiceName): Child | undefined {
    return children.find((child) => child.service.name === name);
  }
}

const stopWithin = 10_000;

async function migrateLedger(databaseUrl: string): Promise<void> {
  const { migrate } = await import("../../ledger/migrate.ts");
  await migrate(databaseUrl);
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
