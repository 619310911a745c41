const first = 100;
const most = 5000;
const aliveLongEnough = 20_000;

export type BackOff = { delay: number; failures: number };

export const noFailures: BackOff = { delay: 0, failures: 0 };

/** How long to wait before the next start: 100 ms doubling to 5 s, from the beginning again after 20 s alive. */
export function afterEnd(before: BackOff, aliveFor: number): BackOff {
  if (aliveFor >= aliveLongEnough || before.failures === 0) return { delay: first, failures: 1 };
  return { delay: Math.min(before.delay * 2, most), failures: before.failures + 1 };
}
