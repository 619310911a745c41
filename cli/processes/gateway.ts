import { composeGateway } from "../compose/gateway.ts";
import { shippedTools } from "../compose/surroundings.ts";
import { readServiceConfig } from "../config.ts";
import { logFault, serveUnderSupervisor } from "./child-process.ts";

// The gateway process.
const config = readServiceConfig();
const starting = start();
serveUnderSupervisor({ ready: starting, stop: async () => (await starting).stop() });

async function start() {
  const surroundings = { taskQueue: "runs", tools: await shippedTools(), onFault: logFault };
  const { gateway, active, close } = await composeGateway(config, surroundings);
  const server = await gateway.listen(config.port);
  process.on("SIGHUP", () => void active.activate().catch(logFault)); // a wrong file changes nothing and is in the log
  return {
    async stop() {
      await server.close();
      await close();
    },
  };
}
