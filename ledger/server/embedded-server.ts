import { postgresBinaries } from "./binaries.ts";
import { endStrays } from "./end-strays.ts";
import { initialise, type Leash } from "./initialise.ts";
import { databaseOwner, type Owner } from "./owner.ts";
import { placeOfCluster } from "./place.ts";
import { adminUrl, databaseUrl, readyDatabase } from "./ready.ts";
import { serverArguments } from "./server-arguments.ts";

export type EmbeddedServer = {
  command: string;
  args: string[];
  owner: Owner | undefined;
  cluster: string;
  databaseUrl: string;
  adminUrl: string;
  /** Before each start: ends what an earlier server left behind. */
  beforeStart(): Promise<void>;
  /** After each start: resolves once queries are answered and our database exists. */
  ready(signal: AbortSignal): Promise<void>;
};

export type EmbeddedServerOptions = {
  dataDir: string;
  cacheDir: string;
  port: number;
  leash: Leash;
  say(line: string): void;
  /** Settings beyond ours, for tests that need no durability. */
  settings?: Record<string, string>;
};

/** Prepares the embedded PostgreSQL of a data directory and says how to run it; the caller starts and watches the process. */
export async function prepareServer({
  dataDir,
  cacheDir,
  port,
  leash,
  say,
  settings,
}: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const owner = await databaseOwner();
  const binaries = await postgresBinaries(cacheDir, owner);
  const place = await placeOfCluster(dataDir, owner, say);
  await initialise(place, binaries, owner, leash);
  return {
    command: binaries.postgres,
    args: serverArguments(place.cluster, port, settings),
    owner,
    cluster: place.cluster,
    databaseUrl: databaseUrl(port, place.account),
    adminUrl: adminUrl(port, place.account),
    beforeStart: () => endStrays(place.cluster),
    ready: (signal) => readyDatabase(port, place.account, signal),
  };
}
