import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { complaint } from "../complaint.ts";
import type { Config } from "../config.ts";
import { prepareDataDirectory } from "./data-directory.ts";
import { startWithin } from "./join.ts";
import { logFileOf, openLog, withLog } from "./log-file.ts";
import { liveStack, type Stack } from "./stack-file.ts";
import { poll } from "./until.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The stack of this data directory: the one that runs, or one started here that lives on by itself. Safe when several do it at once. */
export async function attachOrStart(config: Config): Promise<Stack> {
  const running = await readyStack(config.dataDir);
  if (running) return running;
  const started = await startDetached(config);
  const stack = await poll(
    startWithin,
    100,
    async () => (await readyStack(config.dataDir)) ?? (await failureOf(started, config.dataDir)),
  );
  if (stack && !(stack instanceof Error)) return stack;
  throw stack ?? complaint(await withLog("the stack did not come up", started.log));
}

type Detached = { pid: number | undefined; log: string; ended(): number | null };

/** Starts a supervisor in a session of its own. Should another own the data directory, it leaves that one alone and ends with 0. */
async function startDetached(config: Config): Promise<Detached> {
  await prepareDataDirectory(config.dataDir);
  const log = logFileOf(config.dataDir, "supervisor");
  const fd = openLog(log);
  const child = spawn(process.execPath, [main, ...detachedArguments(config)], {
    detached: true,
    cwd: "/",
    stdio: ["ignore", fd, fd],
    env: { ...config.environment, HELIXRUN_CACHE: config.cacheDir },
  });
  closeSync(fd);
  child.unref();
  child.on("error", () => undefined); // no pid and an exit code: `ended` says it
  return { pid: child.pid, log, ended: () => (child.pid === undefined ? 1 : child.exitCode) };
}

/** The command line that gives another process the configuration this one has. */
export function detachedArguments(
  config: Pick<Config, "dataDir" | "deploymentDir" | "ports" | "importRoots" | "idleStopSeconds">,
): string[] {
  const { gateway, postgres, temporal, temporalUi } = config.ports;
  const given = (flag: string, value: number | undefined) => (value === undefined ? [] : [flag, String(value)]);
  return [
    ...["up", "--detached", "--data", config.dataDir, "--dir", config.deploymentDir],
    ...given("--port", gateway),
    ...given("--postgres-port", postgres),
    ...given("--temporal-port", temporal),
    ...given("--temporal-ui-port", temporalUi),
    ...given("--idle-stop", config.idleStopSeconds),
    ...config.importRoots.flatMap(({ name, path }) => ["--import-root", `${name}=${path}`]),
  ];
}

async function readyStack(dataDir: string): Promise<Stack | undefined> {
  const stack = await liveStack(dataDir);
  return stack?.status === "ready" ? stack : undefined;
}

// Ended with 0: another owns the directory, and its stack is the one to wait for.
async function failureOf(started: Detached, dataDir: string): Promise<Error | undefined> {
  const code = started.ended();
  if (code === null || code === 0 || (await liveStack(dataDir))) return undefined;
  return complaint(await withLog("the stack could not be started", started.log));
}
