import { createMcpCaller } from "../callers/mcp-caller.ts";
import { importNew } from "../callers/tools.ts";
import { cpuMsOf } from "../measure/process-tree.ts";
import { pump } from "../measure/pump.ts";
import { median, shownTimes } from "../measure/quantile.ts";
import { race } from "../measure/race.ts";
import type { Row } from "../report.ts";
import { type BenchStack, startStack } from "../stack.ts";

const runs = 20_000;
const callers = 16;
const rounds = 5;
const runsPerRound = 300;

/** A stack that has made twenty thousand runs, next to one that has just begun. */
export async function longLived(directories: { old: string; fresh: string }): Promise<Row[]> {
  await using old = await startStack(directories.old);
  await age(old);
  await using fresh = await startStack(directories.fresh);
  const import_ = { old: importerOf(old), fresh: importerOf(fresh) };
  await pump({ total: runsPerRound }, callers, import_.fresh); // code is compiled, caches are warm
  return [await firstRunRow(import_), await cpuRow({ old, fresh }, import_)];
}

type Both<T> = { old: T; fresh: T };

/** Says how it goes: it takes minutes. */
async function age(stack: BenchStack): Promise<void> {
  const import_ = importerOf(stack);
  for (let made = 0; made < runs; made += runs / 10) {
    const cpu = cpuMsOf(stack.pids.temporal);
    const { calls, rate } = await pump({ total: runs / 10 }, callers, import_);
    const perRun = (cpuMsOf(stack.pids.temporal) - cpu) / calls;
    console.log(`${made + calls} runs: ${rate.toFixed(0)}/s, Temporal ${perRun.toFixed(1)} ms of CPU a run`);
  }
}

function importerOf(stack: BenchStack): () => Promise<unknown> {
  const call = createMcpCaller(stack);
  return () => importNew(call);
}

async function firstRunRow(import_: Both<() => Promise<unknown>>): Promise<Row> {
  const times = await race({ samples: 200, warm: 20, gapMs: 25 }, import_);
  return {
    what: `first run of artifact_import, one caller, p50, after ${runs.toLocaleString("en")} runs`,
    measured: shownTimes(times("old")),
    yardstick: `fresh ${shownTimes(times("fresh"))}`,
    figure: median(times("old")) / median(times("fresh")),
    unit: "x",
    bar: { atMost: 1.3 },
  };
}

async function cpuRow(stacks: Both<BenchStack>, import_: Both<() => Promise<unknown>>): Promise<Row> {
  const cpu: Both<number[]> = { old: [], fresh: [] };
  for (let round = 0; round < rounds; round++)
    for (const which of ["old", "fresh"] as const) {
      const { temporal } = (await stacks[which].now()).services;
      const pid = temporal?.process?.pid ?? 0; // it may have been restarted since
      const before = cpuMsOf(pid);
      await pump({ total: runsPerRound }, callers, import_[which]);
      cpu[which].push((cpuMsOf(pid) - before) / runsPerRound);
    }
  const shown = (values: number[]) => `${values.map((ms) => ms.toFixed(1)).join(", ")} ms`;
  return {
    what: "CPU of the Temporal server a run, 16 callers",
    measured: shown(cpu.old),
    yardstick: `fresh ${shown(cpu.fresh)}`,
    figure: median(cpu.old) / median(cpu.fresh),
    unit: "x",
    bar: { atMost: 1.3 },
  };
}
