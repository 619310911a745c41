import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client, Connection } from "@temporalio/client";
import { startChild } from "../child.ts";

const bundler = fileURLToPath(new URL("./bundle-bare.ts", import.meta.url));
const taskQueue = "bench-bare";

/** A bare worker in a process of its own on the stack's Temporal server, and a client of it here: the layout of a real run. */
export async function startBare({ temporalAddress, dataDir }: { temporalAddress: string; dataDir: string }) {
  const bundle = join(dataDir, "bench-bare.js");
  await promisify(execFile)(process.execPath, [bundler, bundle]);
  const child = await startChild(new URL("./bare-worker.ts", import.meta.url), [temporalAddress, taskQueue, bundle]);
  const connection = await Connection.connect({ address: temporalAddress });
  const { workflow } = new Client({ connection });
  return {
    pid: child.pid,
    execute: () =>
      workflow.execute("bare", { workflowId: randomUUID(), taskQueue, args: ["x"], workflowTaskTimeout: "5s" }),
    async [Symbol.asyncDispose]() {
      await connection.close();
      await child[Symbol.asyncDispose]();
    },
  };
}
