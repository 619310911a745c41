import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readAccount } from "../ledger/server/account.ts";
import { adminUrl, databaseUrl } from "../ledger/server/ready.ts";
import { readStack, type Stack } from "../cli/supervisor/stack-file.ts";

const bootstrap = fileURLToPath(new URL("../infra/bootstrap/run.mjs", import.meta.url));

const Pids = z.object({ supervisor: z.int(), postgres: z.int(), temporal: z.int(), gateway: z.int(), worker: z.int() });
const ReadyLine = z.object({
  mcpUrl: z.string(),
  apiUrl: z.string(),
  token: z.string(),
  dataDir: z.string(),
  pids: Pids,
});

/** A stack as a user has it, in a data directory of the bench's own. */
export type BenchStack = AsyncDisposable &
  z.infer<typeof ReadyLine> & {
    /** From the command to its line of JSON, first calls included. */
    readyAfterMs: number;
    temporalAddress: string;
    now(): Promise<Stack>;
    /** Its ledger, for whoever may do anything there. */
    ledgerUrl(): Promise<string>;
    /** Waits for its own end, as after `--once`. */
    ended: Promise<void>;
  };

const startWithinMs = 60_000;

/** What `npm start -- --json …` does, without npm. It ends by itself if we are killed: nobody would call it any more. */
export async function startStack(dataDir: string, ...flags: string[]): Promise<BenchStack> {
  const began = performance.now();
  const args = [bootstrap, "cli/main.ts", "up", "--json", "--data", dataDir, "--idle-stop", "120", ...flags];
  const child = spawn(process.execPath, args, { cwd: dataDir, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (part: Buffer) => (said += part.toString()));
  const ended = once(child, "exit").then(() => undefined);
  const line: unknown[] = await Promise.race([
    once(child.stdout, "data", { signal: AbortSignal.timeout(startWithinMs) }),
    ended.then(() => Promise.reject(new Error(`the stack did not start:\n${said}`))),
  ]);
  const readyAfterMs = performance.now() - began;
  const ready = ReadyLine.parse(JSON.parse(String(line[0])));
  const now = async () => (await readStack(dataDir)) ?? Promise.reject(new Error("no stack.json"));
  const ledgerUrl = async () => {
    const account = await readAccount(dataDir);
    if (!account) throw new Error("no account");
    const { postgres } = (await now()).ports;
    return Object.assign(new URL(adminUrl(postgres, account)), {
      pathname: new URL(databaseUrl(postgres, account)).pathname,
    }).href;
  };
  const temporalAddress = flags.includes("--once") ? "" : ((await now()).temporalAddress ?? "");
  const stop = async () => {
    child.kill("SIGTERM"); // it hands the signal on
    await ended;
  };
  return { ...ready, readyAfterMs, temporalAddress, now, ledgerUrl, ended, [Symbol.asyncDispose]: stop };
}

/** The user's own servers and data are not ours to measure. */
function environment(): NodeJS.ProcessEnv {
  const foreign = /^(HELIXRUN_(?!CACHE|LAUNCHER)|DATABASE_URL|TEMPORAL_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
