import { z } from "zod";
import type { Load } from "../callers/load.ts";
import { createMcpCaller } from "../callers/mcp-caller.ts";
import { replays } from "../callers/tools.ts";
import { startChild } from "../child.ts";
import { cpuPerCall } from "../measure/cpu-per-call.ts";
import { median } from "../measure/quantile.ts";
import type { Row } from "../report.ts";
import type { BenchStack } from "../stack.ts";
import { echoCall, startEcho } from "../yardsticks/start-echo.ts";

const rounds = 3;
const forMs = 2_000;
const callers = 16;
const Pumped = z.object({ calls: z.number(), rate: z.number() });

/** Sixteen callers in a process of their own ask for what the ledger has already. */
export async function replayCrowd({ mcpUrl, token, pids }: BenchStack): Promise<Row[]> {
  const echo = await startEcho();
  await using _echo = echo.child;
  await using load = await startChild(new URL("../callers/load.ts", import.meta.url));
  const gateway = { mcpUrl, token };
  const known = await replays(createMcpCaller(gateway));
  const candidates = [
    { name: "echo", door: echo.door, call: echoCall, pids: { echo: echo.child.pid } },
    { name: "get", door: gateway, call: known.get, pids: { gateway: pids.gateway, postgres: pids.postgres } },
    { name: "import", door: gateway, call: known.import, pids: { gateway: pids.gateway, postgres: pids.postgres } },
  ];
  const seen = new Map(candidates.map(({ name }) => [name, { rates: [] as number[], cpu: "" }]));
  for (let round = -1; round < rounds; round++)
    for (const { name, door, call, pids: processes } of candidates) {
      const cpu = cpuPerCall(processes);
      const { calls, rate } = Pumped.parse(await load.ask({ door, ...call, forMs, callers } satisfies Load));
      const noted = seen.get(name);
      if (!noted || round < 0) continue; // the first round is for warming up
      noted.rates.push(rate);
      noted.cpu = cpu(calls);
    }
  const rates = (name: string) => seen.get(name)?.rates ?? [];
  const row = (what: string, name: string): Row => ({
    what,
    measured: shownRates(rates(name)),
    yardstick: `echo ${shownRates(rates("echo"))}`,
    figure: median(rates(name).map((rate, round) => rate / (rates("echo")[round] ?? 0))),
    unit: "x",
    note: `CPU ms a call: ${seen.get(name)?.cpu}; ${seen.get("echo")?.cpu}`,
  });
  return [
    { ...row("replays of artifact_get a second, 16 callers", "get"), bar: { atLeast: 0.7 } },
    row("replays of artifact_import a second, 16 callers", "import"),
  ];
}

const shownRates = (rates: number[]): string => `${rates.map((rate) => rate.toFixed(0)).join(", ")}/s`;
