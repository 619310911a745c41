import { postgresPackage } from "../../ledger/server/binaries.ts";
import { ways } from "../../temporal/server/resolve.ts";
import type { WayContext } from "../../temporal/server/way.ts";
import type { Config } from "../config.ts";
import type { Finding } from "./finding.ts";

export async function examinePostgres({ databaseUrl }: Config): Promise<Finding> {
  if (databaseUrl) return { name: "postgres", state: "ok", found: "DATABASE_URL: a server of your own" };
  return postgresPackage().then(
    ({ version }) => ({ name: "postgres", state: "ok", found: `embedded PostgreSQL ${version}` }),
    (error: Error) => ({
      name: "postgres",
      state: "missing",
      found: error.message,
      fix: "npm ci --include=optional, or DATABASE_URL",
    }),
  );
}

/** Which way a start would take; the slow ones are only named. */
export async function examineTemporal(config: Config): Promise<Finding> {
  const { temporalAddress: address, searchPath, cacheDir } = config;
  const quiet = () => undefined;
  const context: WayContext = {
    address,
    searchPath,
    cacheDir,
    say: quiet,
    progress: quiet,
    tie: (command) => command,
    signal: AbortSignal.timeout(10_000),
  };
  for (const way of ways.filter(({ slow }) => !slow)) {
    const result = await way.find(context);
    if ("found" in result) return { name: "temporal", state: "ok", found: `${way.name}: ${result.where}` };
  }
  const later = ways
    .filter(({ slow }) => slow)
    .map(({ name }) => name)
    .join(", else ");
  return {
    name: "temporal",
    state: "optional",
    found: `not here yet; the first start will ${later}`,
    fix: "install the Temporal CLI (https://docs.temporal.io/cli) to save that time",
  };
}
