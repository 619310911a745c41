import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { TemporalVersion } from "./version.ts";

const run = promisify(execFile);

export type DevServerOptions = {
  executable: string;
  version: TemporalVersion;
  dataDir: string;
  port: number;
  uiPort: number;
};

export type DevServer = {
  command: string;
  args: string[];
  address: string;
  beforeStart(): Promise<void>;
  ready(signal: AbortSignal): Promise<void>;
};

/** Says how to run the dev server on a file in the data directory, and how to know that it serves. */
export function createDevServer({ executable, version, dataDir, port, uiPort }: DevServerOptions): DevServer {
  // A newer CLI does not migrate the file's schema: each server version has its own, and the reconciler re-drives what was open.
  const dbFile = join(dataDir, "temporal", `${version.server}.db`);
  const address = `127.0.0.1:${port}`;
  return {
    command: executable,
    args: devServerArguments({ dbFile, port, uiPort }),
    address,
    beforeStart: async () => void (await mkdir(dirname(dbFile), { recursive: true, mode: 0o700 })),
    ready: (signal) => untilServing(executable, port, address, signal),
  };
}

const searchAttributes = ["HelixTool", "HelixProject", "HelixStatus", "HelixPlanKind", "HelixErrorCode"];

export function devServerArguments({
  dbFile,
  port,
  uiPort,
}: {
  dbFile: string;
  port: number;
  uiPort: number;
}): string[] {
  return [
    ...[
      "server",
      "start-dev",
      "--db-filename",
      dbFile,
      "--ip",
      "127.0.0.1",
      "--port",
      `${port}`,
      "--ui-port",
      `${uiPort}`,
    ],
    // Survives the death of the process; after power loss the reconciler re-drives from the ledger.
    ...["--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal"],
    // The default of 20 polls a second on the single shard adds 50 ms to every task: 150 ms -> 24 ms for one activity.
    ...["--dynamic-config-value", "history.transferProcessorMaxPollRPS=10000"],
    ...["--dynamic-config-value", "history.timerProcessorMaxPollRPS=10000"],
    ...searchAttributes.flatMap((name) => ["--search-attribute", `${name}=Keyword`]),
    ...["--log-level", "warn"],
  ];
}

// Setting the retention needs the port, the service and the namespace, so it is the proof of all three.
async function untilServing(executable: string, port: number, address: string, signal: AbortSignal): Promise<void> {
  const setRetention = [
    "operator",
    "namespace",
    "update",
    "--namespace",
    "default",
    "--retention",
    "72h",
    "--address",
    address,
  ];
  for (;;) {
    signal.throwIfAborted();
    if ((await answers(port)) && (await succeeds(executable, setRetention))) return;
    await sleep(50);
  }
}

const succeeds = (executable: string, args: string[]) =>
  run(executable, args, { timeout: 10_000 }).then(
    () => true,
    () => false,
  );

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => done(true)).once("error", () => done(false));
    socket.once("connect", () => socket.destroy());
  });
}
