import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { Answer } from "../../toolpacks/contract/envelope.ts";
import { createMcpCaller, type McpCaller } from "../callers/mcp-caller.ts";
import { importNew, newContent } from "../callers/tools.ts";
import { pump } from "../measure/pump.ts";
import type { Row } from "../report.ts";
import type { BenchStack } from "../stack.ts";

const total = 300;
const callers = 64;
const killAfter = 80;
const patienceMs = 60_000;

type Victim = "worker" | "temporal";

/** A process is killed while imports are under way: how long until the last one has ended, from when it serves again. */
export async function recovery(stack: BenchStack): Promise<Row[]> {
  return [
    await rowOf(stack, "the worker", "worker"),
    await rowOf(stack, "Temporal", "temporal"),
    await rowOf(stack, "Temporal, its database deleted", "temporal", () => deleteDatabase(stack.dataDir)),
  ];
}

async function rowOf(stack: BenchStack, what: string, victim: Victim, also = () => {}): Promise<Row> {
  const answered: { sent: number; at: number }[] = [];
  const gateway = createMcpCaller(stack);
  const load = pump({ total }, callers, async () => {
    const sent = performance.now();
    await importUntilDone(gateway);
    answered.push({ sent, at: performance.now() });
  });
  await until("the load to be under way", () => answered.length >= killAfter);
  const { pid, restarts } = await serviceOf(stack, victim);
  process.kill(pid, "SIGKILL");
  also();
  const killed = performance.now();
  await until(`${victim} to serve again`, async () => {
    const now = await serviceOf(stack, victim);
    return now.state === "ready" && now.restarts > restarts;
  });
  const back = performance.now();
  const open = await openAttempts(stack);
  await load;
  await until("the last attempt to end", async () => (await openAttempts(stack)) === 0);
  const last = performance.now();
  const underWay = answered.filter(({ sent, at }) => sent < back && at > back).map(({ at }) => at - back);
  return {
    what: `kill -9 of ${what}: until no attempt is open`,
    measured: `${seconds(last - back)} after it served again`,
    figure: (last - back) / 1000,
    unit: "s",
    bar: { atMost: 10 },
    note: `back after ${seconds(back - killed)}, ${open} attempts open then; those under way were answered within ${seconds(Math.max(0, ...underWay))}; all ${answered.length} with the right hash`,
  };
}

/** As a client does: the same question again until it has its answer. */
async function importUntilDone(call: McpCaller<Answer>): Promise<void> {
  const content = newContent();
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return void (await importNew(call, content));
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await pause(100);
    }
  }
}

async function serviceOf(stack: BenchStack, name: Victim) {
  const service = (await stack.now()).services[name];
  return { pid: service?.process?.pid ?? 0, restarts: service?.restarts ?? 0, state: service?.state };
}

const Health = z.object({ open_attempts: z.int().nullable() });

async function openAttempts({ apiUrl }: BenchStack): Promise<number | null> {
  const response = await fetch(`${apiUrl}/healthz`);
  return Health.parse(await response.json()).open_attempts;
}

function deleteDatabase(dataDir: string): void {
  const folder = join(dataDir, "temporal");
  for (const file of readdirSync(folder)) rmSync(join(folder, file), { force: true });
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${patienceMs} ms for ${what}`);
    await pause(10);
  }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
