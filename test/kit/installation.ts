import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { readAccount } from "../../ledger/server/account.ts";
import { databaseUrl } from "../../ledger/server/ready.ts";
import type { ServiceName } from "../../cli/supervisor/service.ts";
import { liveStack, readStack, type Stack } from "../../cli/supervisor/stack-file.ts";
import { eventually, helixrun, readyStack, up } from "../cli/kit.ts";

export type ProcessName = ServiceName | "supervisor";

/** A real stack, as processes of this repository's code, in a data directory of its own. */
export type Installation = Awaited<ReturnType<typeof startInstallation>>;

export async function startInstallation(given?: string) {
  const dataDir = given ?? (await emptyDataDirectory());
  let owner = await up(dataDir);
  const { mcpUrl, apiUrl, token } = owner.line;
  return {
    dataDir,
    gateway: { mcpUrl, apiUrl, token },
    inbox: join(dataDir, "inbox"),
    blobs: join(dataDir, "blobs"),
    stack: () => readyStack(dataDir),
    /** To that process as it is now, whether or not the others serve. */
    signal: async (name: ProcessName, signal: NodeJS.Signals) => {
      const stack = await liveStack(dataDir);
      if (!stack) throw new Error(`there is no stack in ${dataDir}`);
      process.kill(pidIn(stack, name), signal);
    },
    kill,
    databaseUrl: () => urlOf(dataDir),
    query: <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => query<Row>(dataDir, text, values),
    /** `helixrun down`, and what is left of the stack after it: nothing, unless something is wrong. */
    async down(): Promise<string[]> {
      await helixrun(["down", "--data", dataDir]).ended;
      await owner.ended;
      return processesIn(dataDir);
    },
    [Symbol.asyncDispose]: () => removeDataDirectory(dataDir),
  };

  /**
   * `kill -9`. Resolves with the moments of its end and its return: the others are back when their new process is there,
   * started by the supervisor; the supervisor, which we have to start ourselves, when it serves.
   */
  async function kill(
    name: ProcessName,
    atOnce: () => void = () => undefined,
  ): Promise<{ killedAt: Date; backAt: Date }> {
    const before = pidIn(await readyStack(dataDir), name);
    const killedAt = new Date();
    process.kill(before, "SIGKILL");
    atOnce();
    if (name === "supervisor") {
      await owner.ended;
      owner = await up(dataDir);
    }
    await eventually(async () => isBack(await liveStack(dataDir), name, before));
    return { killedAt, backAt: new Date() };
  }
}

/** A data directory that nobody has used yet. */
export const emptyDataDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), "helixrun-installation-"));

/** Ends whatever still runs in a data directory, so that a test that failed leaves nothing to the next, and removes it. */
export async function removeDataDirectory(dataDir: string): Promise<void> {
  const stack = await liveStack(dataDir);
  if (stack) process.kill(stack.supervisor.pid, "SIGKILL");
  await eventually(() => processesIn(dataDir).length === 0);
  await rm(dataDir, { recursive: true, force: true });
}

/** Removes the file in which Temporal keeps everything it knows. */
export function removeTemporalDatabase(dataDir: string): void {
  const folder = join(dataDir, "temporal");
  for (const file of readdirSync(folder)) rmSync(join(folder, file)); // in one go: the server is started again in 100 ms
}

/**
 * Every process that has to do with a data directory: it is named in its command line or environment, works in it, or
 * holds a file of it open. PostgreSQL's backends and the holder of the lock are found by the last two only.
 */
export function processesIn(dataDir: string): string[] {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid);
  return pids.flatMap((pid) => {
    const command = quietly(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "), "");
    return command.includes(dataDir) || isTiedTo(pid, dataDir) ? [`${pid} ${command}`] : [];
  });
}

function isTiedTo(pid: string, dataDir: string): boolean {
  const environment = quietly(() => readFileSync(`/proc/${pid}/environ`, "utf8"), "");
  const handles = quietly(() => readdirSync(`/proc/${pid}/fd`), []).map((fd) => `/proc/${pid}/fd/${fd}`);
  const places = [`/proc/${pid}/cwd`, ...handles].map((link) => quietly(() => readlinkSync(link), ""));
  return environment.includes(dataDir) || places.some((place) => place.startsWith(dataDir));
}

function quietly<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise; // it ended while we looked
  }
}

function pidIn(stack: Stack, name: ProcessName): number {
  const found = name === "supervisor" ? stack.supervisor : stack.services[name]?.process;
  if (!found) throw new Error(`the stack has no ${name}`);
  return found.pid;
}

function isBack(stack: Stack | undefined, name: ProcessName, before: number): boolean {
  const now = name === "supervisor" ? stack?.supervisor.pid : stack?.services[name]?.process?.pid;
  return now !== undefined && now !== before;
}

async function urlOf(dataDir: string): Promise<string> {
  const [stack, account] = await Promise.all([readStack(dataDir), readAccount(dataDir)]);
  if (!stack || !account) throw new Error(`there is no stack in ${dataDir}`);
  return databaseUrl(stack.ports.postgres, account);
}

/** One look into the ledger, on a connection of its own: PostgreSQL may have been killed since the last one. */
async function query<Row extends pg.QueryResultRow>(dataDir: string, text: string, values: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: await urlOf(dataDir) });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
