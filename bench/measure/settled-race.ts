import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

type Side = () => Promise<unknown>;

/**
 * Times two sides that load the disk. Each goes first every other time, and begins with a disk at rest: without that
 * whoever came second took twice as long, whichever it was (measured), and the order was all that was compared.
 */
export async function settledRace<Name extends string>(
  { rounds, restMs }: { rounds: number; restMs: number },
  sides: Record<Name, Side>,
  beforeEachRound: Side = async () => undefined,
): Promise<(name: Name) => number[]> {
  const entries = Object.entries<Side>(sides);
  const times = new Map<string, number[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    await beforeEachRound();
    for (const [name, work] of round % 2 === 0 ? entries : entries.toReversed()) {
      execFileSync("sync");
      await pause(restMs);
      const began = performance.now();
      await work();
      times.get(name)?.push(performance.now() - began);
    }
  }
  return (name) => times.get(name) ?? [];
}
