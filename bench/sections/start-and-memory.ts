import { setTimeout as pause } from "node:timers/promises";
import { pssMbOf, treeOf } from "../measure/process-tree.ts";
import type { Row } from "../report.ts";
import { type BenchStack, startStack } from "../stack.ts";

const settleMs = 5_000;

/** From the command to its ready line, on an empty data directory and on one that was used; then what the idle stack holds. */
export async function startAndMemory(dataDir: string): Promise<Row[]> {
  const cold = await startOnce(dataDir);
  const warm = [await startOnce(dataDir), await startOnce(dataDir)];
  await using stack = await startStack(dataDir);
  await pause(settleMs);
  return [
    {
      what: "first start, empty data directory, caches there",
      measured: seconds(cold),
      figure: cold / 1000,
      unit: "s",
    },
    {
      what: "warm start to ready, first calls included; the slower of two",
      measured: warm.map(seconds).join(", "),
      figure: Math.max(...warm) / 1000,
      unit: "s",
      bar: { atMost: 10 },
    },
    memoryRow(stack),
  ];
}

async function startOnce(dataDir: string): Promise<number> {
  const { readyAfterMs, ended } = await startStack(dataDir, "--once");
  await ended;
  return readyAfterMs;
}

/** Supervisor and all that it started; what runs `npm start` around it is not counted, it is gone in `helixrun mcp`. */
function memoryRow({ pids: { supervisor, ...services } }: BenchStack): Row {
  const all = treeOf(supervisor);
  const parts = Object.entries(services).map(([name, pid]) => ({ name, pids: treeOf(pid) }));
  const rest = all.filter((pid) => !parts.some((part) => part.pids.includes(pid)));
  const shown = [{ name: "supervisor", pids: rest }, ...parts].map(
    ({ name, pids }) => `${name} ${pssMbOf(pids).toFixed(0)}${pids.length > 1 ? ` (${pids.length} processes)` : ""}`,
  );
  const sum = pssMbOf(all);
  return {
    what: `memory of the fresh idle stack, PSS, ${settleMs / 1000} s after ready`,
    measured: `${sum.toFixed(0)} MB`,
    figure: sum,
    unit: "MB",
    bar: { atMost: 700 },
    note: shown.join(", "),
  };
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
