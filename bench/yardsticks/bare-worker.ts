import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";

// The yardstick of a first run: the SDK's worker as our own one is set up, with nothing of ours in it.
const [, , address = "", taskQueue = "", codePath = ""] = process.argv;
Runtime.install({ logger: new DefaultLogger("WARN") });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: { codePath },
  activities: { nothing: async (text: string) => text },
  maxCachedWorkflows: 50,
});
process.on("disconnect", () => process.exit(0));
process.send?.({ ready: true });
await worker.run();
