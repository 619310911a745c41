import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEnd, noFailures } from "./back-off.ts";
import { openLog, withLog } from "./log-file.ts";
import { identityOf, isGoneWithin, type ProcessIdentity, signalTo } from "./process-identity.ts";
import type { Service, ServiceState } from "./service.ts";
import { tiedCommand } from "./tied-command.ts";
import { within } from "./until.ts";

export type Child = {
  service: Service;
  log: string;
  state(): ServiceState;
  identity(): ProcessIdentity | undefined;
  restarts(): number;
  /** Resolves when it first serves; rejects when it ends five times before it does, or takes too long. */
  firstReady: Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Asks it to end, then makes it end. */
  stop(withinMs: number): Promise<void>;
};

export type ChildDeps = { log: string; setpriv: string | undefined; changed(): void; say(line: string): void };

const attemptsBeforeFirstReady = 5;

/** Starts a service and keeps it running until `stop`. */
export function keepRunning(service: Service, { log, setpriv, changed, say }: ChildDeps): Child {
  const first = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let state: ServiceState = "starting";
  let current: ProcessIdentity | undefined;
  let restarts = 0;
  let served = false;
  const over = watch().catch((error: unknown) => first.reject(error));
  first.promise.catch(() => undefined); // whoever waits for it sees it

  return {
    service,
    log,
    state: () => state,
    identity: () => current,
    restarts: () => restarts,
    firstReady: first.promise,
    signal: (signal) => current && signalTo(current, signal),
    stop,
  };

  async function watch(): Promise<void> {
    let backOff = noFailures;
    while (!stopping.signal.aborted) {
      const begun = Date.now();
      const how = await runOnce().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
      enter("ended");
      if (stopping.signal.aborted) return;
      backOff = afterEnd(backOff, Date.now() - begun);
      if (!served && backOff.failures >= attemptsBeforeFirstReady)
        throw new Error(await withLog(`${service.name} does not start: ${how}`, log));
      say(`${service.name} ended (${how}), starting it again in ${backOff.delay} ms`);
      restarts += 1;
      await sleep(backOff.delay, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  /** One life of the process; returns how it ended. */
  async function runOnce(): Promise<string> {
    await service.beforeStart?.();
    if (stopping.signal.aborted) return "stopped";
    const child = start(service, log, setpriv);
    const life = new AbortController();
    const ended = endOf(child).finally(() => life.abort());
    current = child.pid === undefined ? undefined : identityOf(child.pid);
    enter("starting");
    const failure = await serving(child, life.signal).catch((error: Error) => error);
    if (!failure) return ended;
    if (life.signal.aborted) return ended; // it ended before it served
    child.kill("SIGKILL");
    await ended;
    if (!served) first.reject(new Error(await withLog(failure.message, log), { cause: failure }));
    return failure.message;
  }

  async function serving(child: ChildProcess, life: AbortSignal): Promise<undefined> {
    await within(service.readyWithin, `waiting for ${service.name}`, life, (signal) =>
      readiness(service, child, signal),
    );
    served = true;
    enter("ready");
    first.resolve();
  }

  async function stop(withinMs: number): Promise<void> {
    stopping.abort();
    if (current) await end(current, withinMs);
    await over;
  }

  async function end(identity: ProcessIdentity, withinMs: number): Promise<void> {
    signalTo(identity, service.stopSignal);
    if (await isGoneWithin(identity, withinMs)) return;
    say(`${service.name} did not end within ${withinMs / 1000} s: killed`);
    signalTo(identity, "SIGKILL");
  }

  function enter(next: ServiceState): void {
    state = next;
    changed();
  }
}

function start(
  { command, environment, account, deathSignal, talks }: Service,
  log: string,
  setpriv: string | undefined,
): ChildProcess {
  const [program = "", ...args] = tiedCommand(command, deathSignal, process.pid, setpriv);
  const fd = openLog(log);
  try {
    return spawn(program, args, {
      stdio: ["ignore", fd, fd, ...(talks ? (["ipc"] as const) : [])],
      detached: true, // a session of its own: Ctrl-C reaches us alone, and we stop the services in order
      cwd: "/",
      ...(environment && { env: environment }),
      ...account,
    });
  } finally {
    closeSync(fd);
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((done) => {
    child.once("error", (error) => done(error.message));
    child.once("exit", (code, signal) => done(signal ?? `exit code ${code}`));
  });
}

async function readiness(service: Service, child: ChildProcess, signal: AbortSignal): Promise<void> {
  if (service.talks) await new Promise<void>((ready) => child.on("message", (message) => isReady(message) && ready()));
  await service.ready?.(signal);
}

const isReady = (message: unknown): boolean =>
  typeof message === "object" && message !== null && "ready" in message && message.ready === true;
