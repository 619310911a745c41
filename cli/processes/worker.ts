import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundlePath } from "../../temporal/workflow-bundle.ts";
import { shippedTools } from "../compose/surroundings.ts";
import { composeWorker } from "../compose/worker.ts";
import { readServiceConfig } from "../config.ts";
import { logFault, serveUnderSupervisor } from "./child-process.ts";

// The worker process.
const config = readServiceConfig();
const bundler = fileURLToPath(new URL("./bundle-workflows.ts", import.meta.url));
const starting = start();
serveUnderSupervisor({ ready: starting, stop: async () => (await starting).stop() });

async function start() {
  const surroundings = { taskQueue: "runs", tools: await shippedTools(), onFault: logFault };
  const worker = await composeWorker(config, await bundle(), surroundings);
  const running = worker.run();
  running.catch((error: unknown) => {
    logFault(error);
    process.exit(1); // the supervisor starts another
  });
  return {
    async stop() {
      worker.stop();
      await running;
    },
  };
}

/** Bundling takes 100 MB that are never given back: another process does it, once for each version of the code. */
async function bundle(): Promise<string> {
  const path = await bundlePath(config.cacheDir);
  if (!existsSync(path)) await promisify(execFile)(process.execPath, [bundler, path]);
  return path;
}
