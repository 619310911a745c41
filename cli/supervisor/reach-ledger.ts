import { existsSync } from "node:fs";
import { join } from "node:path";
import { readAccount } from "../../ledger/server/account.ts";
import { databaseUrl } from "../../ledger/server/ready.ts";
import { complaint, exitCodes } from "../complaint.ts";
import type { Config } from "../config.ts";
import { joinStack } from "./join.ts";
import { findPrograms } from "./programs.ts";
import { refuseHalfRestored } from "./restore-mark.ts";
import type { Stack } from "./stack-file.ts";
import { startLedger } from "./start-ledger.ts";

export type ReachedLedger = AsyncDisposable & { databaseUrl: string };

/** The ledger of a data directory: that of the stack that runs; where none does, PostgreSQL alone is started, and stopped at the end. */
export async function reachLedger(config: Config, say: (line: string) => void): Promise<ReachedLedger> {
  const { dataDir } = config;
  if (!config.databaseUrl && !existsSync(join(dataDir, "postgres.json")))
    throw complaint(`there is no ledger in ${dataDir}. Fix: --data DIR or HELIXRUN_DATA.`, exitCodes.invalidRequest);
  if (config.databaseUrl) return { databaseUrl: config.databaseUrl, [Symbol.asyncDispose]: async () => undefined };
  const programs = await findPrograms(config.searchPath);
  const joined = await joinStack(dataDir, programs.flock, ({ status }) => status === "ready", say);
  if (joined.role === "guest")
    return { databaseUrl: await urlOf(joined.stack), [Symbol.asyncDispose]: async () => undefined };
  try {
    await refuseHalfRestored(dataDir);
    const ledger = await startLedger(config, programs, say);
    return {
      databaseUrl: ledger.databaseUrl,
      async [Symbol.asyncDispose]() {
        await ledger[Symbol.asyncDispose]();
        joined.lock.release();
      },
    };
  } catch (error) {
    joined.lock.release();
    throw error;
  }
}

async function urlOf({ dataDir, ports, services }: Stack): Promise<string> {
  const account = services.postgres && (await readAccount(dataDir));
  if (account) return databaseUrl(ports.postgres, account);
  throw complaint(
    "the running stack uses a PostgreSQL of your own. Fix: set DATABASE_URL as it was set for that stack.",
    exitCodes.invalidRequest,
  );
}
