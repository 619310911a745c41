import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { EmbeddedServer } from "../../ledger/server/embedded-server.ts";
import type { DevServer } from "../../temporal/server/dev-server.ts";
import { type Environment, type ServiceConfig, serviceEnvironment } from "../config.ts";
import type { Service } from "./service.ts";

const processes = fileURLToPath(new URL("../processes", import.meta.url));

export const postgresService = (server: EmbeddedServer): Service => ({
  name: "postgres",
  command: [server.command, ...server.args],
  account: server.owner && { uid: server.owner.uid, gid: server.owner.gid },
  deathSignal: "QUIT", // KILL would leave its backends
  stopSignal: "SIGINT", // "fast": ends sessions, writes a checkpoint
  talks: false,
  readyWithin: 60_000, // recovery after a kill included
  beforeStart: server.beforeStart,
  ready: server.ready,
});

export const temporalService = (server: DevServer, environment: Environment): Service => ({
  name: "temporal",
  command: [server.command, ...server.args],
  // The user's TEMPORAL_… variables speak of other servers.
  environment: Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("TEMPORAL_"))),
  deathSignal: "KILL",
  stopSignal: "SIGTERM",
  talks: false,
  readyWithin: 60_000,
  beforeStart: server.beforeStart,
  ready: server.ready,
});

/** A process of our own, on the Node that runs us. */
export const nodeService = (
  name: "worker" | "gateway",
  config: Omit<ServiceConfig, "environment">,
  environment: Environment,
): Service => ({
  name,
  command: [process.execPath, join(processes, `${name}.ts`)],
  environment: { ...environment, ...serviceEnvironment(config) },
  deathSignal: "KILL",
  stopSignal: "SIGTERM",
  talks: true,
  readyWithin: 60_000,
});
