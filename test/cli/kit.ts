import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { liveStack, type Stack } from "../../cli/supervisor/stack-file.ts";

export const root = join(import.meta.dirname, "../..");

export const ReadyLine = z.object({
  ready: z.literal(true),
  mcpUrl: z.string(),
  apiUrl: z.string(),
  temporalUiUrl: z.string(),
  token: z.string().regex(/^hx_[\w-]{43}$/),
  dataDir: z.string(),
  pids: z.object({ supervisor: z.int(), postgres: z.int(), temporal: z.int(), gateway: z.int(), worker: z.int() }),
  firstRun: z.object({ run_id: z.string(), status: z.string() }).optional(),
  replay: z.object({ run_id: z.string(), status: z.string(), replayed: z.boolean() }).optional(),
});
export type ReadyLine = z.infer<typeof ReadyLine>;

export type Running = {
  process: ChildProcess;
  stdout(): string;
  stderr(): string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/** Runs a helixrun command as a user would, on the Node that runs the tests. */
export function helixrun(args: string[], env: Record<string, string> = {}): Running {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(HELIXRUN_(?!CACHE)|DATABASE_URL|TEMPORAL_ADDRESS|VITEST|NODE_V8)/.test(name),
  );
  const child = spawn(process.execPath, [join(root, "cli/main.ts"), ...args], {
    cwd: tmpdir(),
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const ended = new Promise<Awaited<Running["ended"]>>((done) =>
    child.on("close", (code, signal) => done({ code, signal })),
  );
  return { process: child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** `helixrun up --json`, until its line is there. */
export async function up(
  dataDir: string,
  args: string[] = ["--no-first-call"],
): Promise<Running & { line: ReadyLine }> {
  const running = helixrun(["up", "--json", "--data", dataDir, ...args]);
  const line = await Promise.race([
    eventually(() => running.stdout().includes("\n") && running.stdout()),
    running.ended.then(() => running.stdout()),
  ]);
  if (!line) throw new Error(`up ended without its line:\n${running.stderr()}`);
  return { ...running, line: ReadyLine.parse(JSON.parse(line)) };
}

/** Waits for a condition; fails with what it saw last. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  milliseconds = 30_000,
): Promise<Exclude<T, false | undefined | null | 0 | "">> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (answer) return answer as Exclude<T, false | undefined | null | 0 | "">;
    if (Date.now() > deadline) throw new Error(`waited ${milliseconds} ms for ${ask.toString()}`);
    await sleep(50);
  }
}

/** The stack once all its services serve. */
export const readyStack = (dataDir: string): Promise<Stack> =>
  eventually(async () => {
    const stack = await liveStack(dataDir);
    const serving = stack && Object.values(stack.services).every(({ state }) => state === "ready");
    return stack?.status === "ready" && serving ? stack : undefined;
  });

/** Every process that names the data directory in its command line or works in it: nothing of a stack escapes this. */
export function processesOf(dataDir: string): string[] {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  return pids.flatMap((pid) => {
    const command = textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
    const environment = textOf(`/proc/${pid}/environ`);
    return command.includes(dataDir) || environment.includes(`HELIXRUN_DATA=${dataDir}`) ? [`${pid} ${command}`] : [];
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** A data directory of one's own, removed with whatever still runs in it. */
export async function temporaryDirectory(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "helixrun-cli-"));
  return {
    path,
    async [Symbol.asyncDispose]() {
      const stack = await liveStack(path);
      if (stack) process.kill(stack.supervisor.pid, "SIGKILL");
      await eventually(() => processesOf(path).length === 0);
      await rm(path, { recursive: true, force: true });
    },
  };
}

export const kill = (pid: number, signal: NodeJS.Signals): boolean => process.kill(pid, signal);
