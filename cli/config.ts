import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { complaint, exitCodes } from "./complaint.ts";

export type Environment = Record<string, string | undefined>;

/** Flags as commander gives them; each wins over its environment variable. */
export type Flags = {
  data?: string;
  dir?: string;
  port?: string;
  postgresPort?: string;
  temporalPort?: string;
  temporalUiPort?: string;
  importRoot?: string[];
  idleStop?: string;
};

const Port = z.coerce.number().int().min(1).max(65535);
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional());

/** `name=/directory`: a directory that files may be imported from, and what tools call it. */
const NamedRoot = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*=\/.*/, "must be name=/absolute/directory")
  .transform((text) => ({ name: text.slice(0, text.indexOf("=")), path: text.slice(text.indexOf("=") + 1) }));

const Address = z.string().regex(/^[^\s/:]+:\d+$/, "must be host:port");

const Settings = z.object({
  data: optional(z.string()),
  dir: optional(z.string()),
  cache: optional(z.string()),
  port: optional(Port),
  postgresPort: optional(Port),
  temporalPort: optional(Port),
  temporalUiPort: optional(Port),
  importRoots: z.array(NamedRoot),
  idleStop: optional(z.coerce.number().positive()),
  databaseUrl: optional(z.url({ protocol: /^postgres(ql)?$/ })),
  temporalAddress: optional(Address),
});

/** What `up` and the commands beside it need to know. */
export type Config = ReturnType<typeof readConfig>;

/** Reads flags and environment once; all faults at once in one complaint. */
export function readConfig(flags: Flags = {}, env: Environment = process.env) {
  const settings = parsed(Settings, {
    data: flags.data ?? env["HELIXRUN_DATA"],
    dir: flags.dir ?? env["HELIXRUN_DIR"],
    cache: env["HELIXRUN_CACHE"],
    port: flags.port ?? env["HELIXRUN_PORT"],
    postgresPort: flags.postgresPort ?? env["HELIXRUN_POSTGRES_PORT"],
    temporalPort: flags.temporalPort ?? env["HELIXRUN_TEMPORAL_PORT"],
    temporalUiPort: flags.temporalUiPort ?? env["HELIXRUN_TEMPORAL_UI_PORT"],
    importRoots: flags.importRoot ?? listIn(env["HELIXRUN_IMPORT_ROOTS"]),
    idleStop: flags.idleStop,
    databaseUrl: env["DATABASE_URL"],
    temporalAddress: env["TEMPORAL_ADDRESS"],
  });
  return {
    dataDir: resolve(settings.data || dataHome(env)),
    deploymentDir: resolve(settings.dir || "."),
    cacheDir: resolve(settings.cache || cacheHome(env)),
    ports: {
      gateway: settings.port,
      postgres: settings.postgresPort,
      temporal: settings.temporalPort,
      temporalUi: settings.temporalUiPort,
    },
    importRoots: settings.importRoots,
    idleStopSeconds: settings.idleStop,
    databaseUrl: settings.databaseUrl,
    temporalAddress: settings.temporalAddress,
    /** The Node that starts helixrun from nothing: it outlives node_modules. */
    launcher: env["HELIXRUN_LAUNCHER"] || process.execPath,
    searchPath: env["PATH"] ?? "",
    environment: env,
  };
}

const ServiceSettings = z.object({
  databaseUrl: z.url({ protocol: /^postgres(ql)?$/ }),
  temporalAddress: Address,
  dataDir: z.string().min(1),
  deploymentDir: z.string().min(1),
  cacheDir: z.string().min(1),
  port: Port,
  importRoots: z.array(NamedRoot),
  environment: z.enum(["prod", "staging", "dev"]).default("dev"),
});

/** What the gateway and the worker are told by the supervisor. */
export type ServiceConfig = z.infer<typeof ServiceSettings>;

export function readServiceConfig(env: Environment = process.env): ServiceConfig & { variables: Environment } {
  const settings = parsed(ServiceSettings, {
    databaseUrl: env["DATABASE_URL"],
    temporalAddress: env["TEMPORAL_ADDRESS"],
    dataDir: env["HELIXRUN_DATA"],
    deploymentDir: env["HELIXRUN_DIR"],
    cacheDir: env["HELIXRUN_CACHE"],
    port: env["HELIXRUN_PORT"],
    importRoots: listIn(env["HELIXRUN_IMPORT_ROOTS"]),
    environment: env["HELIXRUN_ENV"],
  });
  return { ...settings, variables: env }; // a policy may name the variables it expands
}

/** The other direction: the variables from which `readServiceConfig` reads the same values. */
export function serviceEnvironment(config: Omit<ServiceConfig, "environment">): Record<string, string> {
  return {
    DATABASE_URL: config.databaseUrl,
    TEMPORAL_ADDRESS: config.temporalAddress,
    HELIXRUN_DATA: config.dataDir,
    HELIXRUN_DIR: config.deploymentDir,
    HELIXRUN_CACHE: config.cacheDir,
    HELIXRUN_PORT: String(config.port),
    HELIXRUN_IMPORT_ROOTS: config.importRoots.map(({ name, path }) => `${name}=${path}`).join(":"),
  };
}

const isRoot = () => process.getuid?.() === 0;

function dataHome(env: Environment): string {
  if (isRoot()) return "/var/lib/helixrun/default";
  return join(env["XDG_DATA_HOME"] || join(env["HOME"] || homedir(), ".local", "share"), "helixrun", "default");
}

function cacheHome(env: Environment): string {
  if (isRoot()) return "/var/cache/helixrun";
  return join(env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache"), "helixrun");
}

// Joined by ":" like PATH: a name cannot hold one, so only a directory with a colon in it cannot be given this way.
const listIn = (text: string | undefined): string[] => (text ?? "").split(":").filter((entry) => entry !== "");

// How each setting is called by whoever gave it.
const givenAs: Record<string, string> = {
  data: "--data / HELIXRUN_DATA",
  dir: "--dir / HELIXRUN_DIR",
  cache: "HELIXRUN_CACHE",
  port: "--port / HELIXRUN_PORT",
  postgresPort: "--postgres-port / HELIXRUN_POSTGRES_PORT",
  temporalPort: "--temporal-port / HELIXRUN_TEMPORAL_PORT",
  temporalUiPort: "--temporal-ui-port / HELIXRUN_TEMPORAL_UI_PORT",
  importRoots: "--import-root / HELIXRUN_IMPORT_ROOTS",
  idleStop: "--idle-stop",
  databaseUrl: "DATABASE_URL",
  temporalAddress: "TEMPORAL_ADDRESS",
  dataDir: "HELIXRUN_DATA",
  deploymentDir: "HELIXRUN_DIR",
  cacheDir: "HELIXRUN_CACHE",
  environment: "HELIXRUN_ENV",
};

function parsed<T extends z.ZodType>(schema: T, values: Record<string, unknown>): z.infer<T> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    ({ path, message }) => `  - ${givenAs[String(path[0])] ?? path.join(".")}: ${message}`,
  );
  throw complaint(["the configuration is wrong:", ...faults].join("\n"), exitCodes.invalidRequest);
}
