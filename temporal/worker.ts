import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";
import { dataConverter } from "./data-converter.ts";

/** A worker of one task queue, on a prebuilt workflow bundle. */
export async function createWorker(options: {
  address: string;
  taskQueue: string;
  bundle: string;
  activities: object;
}): Promise<{ run(): Promise<void>; stop(): void }> {
  installRuntimeOnce();
  const connection = await NativeConnection.connect({ address: options.address });
  const worker = await Worker.create({
    connection,
    taskQueue: options.taskQueue,
    workflowBundle: { codePath: options.bundle },
    activities: options.activities,
    dataConverter,
    maxCachedWorkflows: 50, // a run is short: a large cache holds memory, not speed
    shutdownGraceTime: "3s", // the default of 0 would cut activities off
  });
  return {
    async run() {
      try {
        await worker.run();
      } finally {
        await connection.close();
      }
    },
    stop: () => worker.shutdown(),
  };
}

let installed = false;
function installRuntimeOnce(): void {
  if (installed) return;
  Runtime.install({ logger: new DefaultLogger("WARN"), shutdownSignals: [] }); // our own processes decide when to stop
  installed = true;
}
