import { createMcpCaller } from "../callers/mcp-caller.ts";
import { importNew } from "../callers/tools.ts";
import { cpuPerCall } from "../measure/cpu-per-call.ts";
import { pump } from "../measure/pump.ts";
import { median, shownTimes } from "../measure/quantile.ts";
import { race } from "../measure/race.ts";
import type { Row } from "../report.ts";
import type { BenchStack } from "../stack.ts";
import { startBare } from "../yardsticks/start-bare.ts";

const rounds = 3;
const forMs = 6_000;
const callers = 16;

/** Imports that were never made before, next to the least that the workflow engine can do. */
export async function firstRun(stack: BenchStack): Promise<Row[]> {
  await using bare = await startBare(stack);
  const gateway = createMcpCaller(stack);
  const run = () => importNew(gateway);
  return [await alone(bare.execute, run), await crowd(stack, bare, run)];
}

async function alone(execute: () => Promise<unknown>, run: () => Promise<unknown>): Promise<Row> {
  const times = await race({ samples: 200, warm: 40, gapMs: 25 }, { bare: execute, run });
  return {
    what: "first run of artifact_import, 237 bytes inline, one caller, p50",
    measured: shownTimes(times("run")),
    yardstick: `bare workflow ${shownTimes(times("bare"))}`,
    figure: median(times("run")) / median(times("bare")),
    unit: "x",
    bar: { atMost: 1.2 },
  };
}

type Bare = Awaited<ReturnType<typeof startBare>>;

async function crowd({ pids }: BenchStack, bare: Bare, run: () => Promise<unknown>): Promise<Row> {
  const { supervisor: _, ...services } = pids;
  const of = { bare: [] as number[], run: [] as number[] };
  const cpu = { bare: "", run: "" };
  await pump({ total: 64 }, callers, bare.execute);
  await pump({ total: 64 }, callers, run);
  for (let round = 0; round < rounds; round++) {
    const ofBare = cpuPerCall({ temporal: pids.temporal, "bare worker": bare.pid });
    const bareRuns = await pump({ forMs }, callers, bare.execute);
    of.bare.push(bareRuns.rate);
    cpu.bare = ofBare(bareRuns.calls);
    const ofRun = cpuPerCall(services);
    const runs = await pump({ forMs }, callers, run);
    of.run.push(runs.rate);
    cpu.run = ofRun(runs.calls);
  }
  return {
    what: "first runs a second, 16 callers",
    measured: shownRates(of.run),
    yardstick: `bare workflow ${shownRates(of.bare)}`,
    figure: median(of.run.map((rate, round) => rate / (of.bare[round] ?? 0))),
    unit: "x",
    bar: { atLeast: 0.8 },
    note: `CPU ms a run: ${cpu.run}; of a bare one: ${cpu.bare}`,
  };
}

const shownRates = (rates: number[]): string => `${rates.map((rate) => rate.toFixed(1)).join(", ")}/s`;
