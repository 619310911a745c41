import { setTimeout as pause } from "node:timers/promises";

type Candidates<Name extends string> = Record<Name, () => Promise<unknown>>;

/**
 * Times the candidates in turn, one call each, so that whatever else the machine does hits all of them alike.
 * Gives the milliseconds of each. The gap lets the rest of an early answer's work settle before the next candidate's turn.
 */
export async function race<Name extends string>(
  { samples, warm, gapMs }: { samples: number; warm: number; gapMs?: number },
  candidates: Candidates<Name>,
): Promise<(name: Name) => number[]> {
  const entries = Object.entries<() => Promise<unknown>>(candidates);
  const times = new Map<string, number[]>(entries.map(([name]) => [name, []]));
  for (let turn = -warm; turn < samples; turn++)
    for (const [name, call] of entries) {
      const began = performance.now();
      await call();
      if (turn >= 0) times.get(name)?.push(performance.now() - began);
      if (gapMs !== undefined) await pause(gapMs);
    }
  return (name) => times.get(name) ?? [];
}
