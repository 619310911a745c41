import type { Config } from "../config.ts";
import { keepRunning } from "./child.ts";
import { endLeftovers } from "./end-leftovers.ts";
import { createLeash } from "./leash.ts";
import { logFileOf } from "./log-file.ts";
import { choosePorts } from "./ports.ts";
import type { Programs } from "./programs.ts";
import { postgresService } from "./services.ts";

const stopWithin = 30_000; // it writes a checkpoint first

/** PostgreSQL alone, in a data directory whose lock we hold. */
export async function startLedger(
  config: Config,
  { setpriv }: Programs,
  say: (line: string) => void,
): Promise<AsyncDisposable & { databaseUrl: string }> {
  const { dataDir, cacheDir } = config;
  await endLeftovers(dataDir, say);
  const { prepareServer } = await import("../../ledger/server/embedded-server.ts");
  const { postgres: port } = await choosePorts(dataDir, config.ports);
  const leash = createLeash(setpriv, new AbortController().signal);
  const server = await prepareServer({ dataDir, cacheDir, port, leash, say });
  const log = logFileOf(dataDir, "postgres");
  const child = keepRunning(postgresService(server), { log, setpriv, changed: () => undefined, say });
  const stop = () => child.stop(stopWithin);
  try {
    await child.firstReady;
    return { databaseUrl: server.databaseUrl, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
