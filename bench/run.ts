import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { watchDisturbance } from "./measure/disturbance.ts";
import { isOver, type Row, tableOf } from "./report.ts";
import { firstRun } from "./sections/first-run.ts";
import { growth } from "./sections/growth.ts";
import { longLived } from "./sections/long-lived.ts";
import { recovery } from "./sections/recovery.ts";
import { replayAlone } from "./sections/replay-alone.ts";
import { replayCrowd } from "./sections/replay-crowd.ts";
import { startAndMemory } from "./sections/start-and-memory.ts";
import { stdioProxy } from "./sections/stdio-proxy.ts";
import { transfers } from "./sections/transfers.ts";
import { type BenchStack, startStack } from "./stack.ts";

// npm run bench [-- section…]: measures a real stack next to its yardsticks; ends with 1 if a bar is not kept.
const onStack: Record<string, { title: string; withinMs?: number; measure(stack: BenchStack): Promise<Row[]> }> = {
  a: { title: "a. Replay over MCP HTTP, one caller", measure: replayAlone },
  b: { title: "b. Replay over MCP HTTP, 16 callers from another process", measure: replayCrowd },
  c: { title: "c. Replay over the stdio proxy", measure: stdioProxy },
  d: { title: "d. First run of a small import", measure: firstRun },
  e: { title: "e. Recovery, 300 imports by 64 callers that ask again", measure: recovery },
  g: { title: "g. Import and download of 1 GiB", withinMs: 300_000, measure: transfers },
};
const onOwnStacks: Record<string, { title: string; withinMs?: number; measure(): Promise<Row[]> }> = {
  f: { title: "f. Start and memory", measure: async () => startAndMemory(await temporaryDirectory()) },
  h: {
    title: "h. Growth",
    withinMs: 600_000,
    measure: async () => growth({ large: await temporaryDirectory(), small: await temporaryDirectory() }),
  },
  i: {
    title: "i. A long-lived stack",
    withinMs: 1_800_000,
    measure: async () => longLived({ old: await temporaryDirectory(), fresh: await temporaryDirectory() }),
  },
};
const onlyWhenNamed = new Set(["h", "i"]); // they take many minutes
const sectionWithinMs = 150_000;

const open = new AsyncDisposableStack();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void open.disposeAsync().finally(() => process.exit(1)));

const rows = await measured(chosenSections(process.argv.slice(2)));
const over = rows.filter(isOver);
for (const { what } of over) console.log(`over: ${what}`);
process.exit(over.length > 0 ? 1 : 0); // keep-alive connections would hold us

function chosenSections(names: string[]): Set<string> {
  const known = [...Object.keys(onStack), ...Object.keys(onOwnStacks)];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no section ${unknown.join(", ")}; there are ${known.join(", ")}`);
  return new Set(names.length > 0 ? names : known.filter((name) => !onlyWhenNamed.has(name)));
}

async function measured(chosen: Set<string>): Promise<Row[]> {
  try {
    return await measure(chosen);
  } finally {
    await open.disposeAsync();
  }
}

async function measure(chosen: Set<string>): Promise<Row[]> {
  const found: Row[] = [];
  console.log(`${new Date().toISOString()}, ${availableParallelism()} cores, Node ${process.version}\n`);
  for (const [name, section] of Object.entries(onOwnStacks))
    if (chosen.has(name)) found.push(...(await show(section, section.measure)));
  const rest = Object.entries(onStack).filter(([name]) => chosen.has(name));
  if (rest.length === 0) return found;
  const stack = open.use(await startStack(await temporaryDirectory()));
  for (const [, section] of rest) found.push(...(await show(section, () => section.measure(stack))));
  return found;
}

async function show(
  { title, withinMs = sectionWithinMs }: { title: string; withinMs?: number },
  measureIt: () => Promise<Row[]>,
): Promise<Row[]> {
  const tooLong = pause(withinMs, undefined, { ref: false }).then(() => {
    throw new Error(`${title}: not done within ${withinMs / 1000} s`);
  });
  const others = watchDisturbance();
  const found = await Promise.race([measureIt(), tooLong]);
  console.log(tableOf(`${title} (others used ${Math.round(others() * 100)} % of the cores)`, found));
  return found;
}

async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "helixrun-bench-"));
  open.defer(() => rm(path, { recursive: true, force: true }));
  return path;
}
