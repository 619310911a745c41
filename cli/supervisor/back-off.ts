const first = 100;
const most = 5000;
// The longer Temporal is away, the longer the worker's pollers wait before they look again, up to 10 s (measured: away for
// 1 s, all open runs ended 5 s after its return; for 7 s, 7 s; for 14 s, 10 s). So only what never lasts is held back.
const aliveLongEnough = 5000;

export type BackOff = { delay: number; failures: number };

export const noFailures: BackOff = { delay: 0, failures: 0 };

/** How long to wait before the next start: 100 ms doubling to 5 s, from the beginning again after 5 s alive. */
export function afterEnd(before: BackOff, aliveFor: number): BackOff {
  if (aliveFor >= aliveLongEnough || before.failures === 0) return { delay: first, failures: 1 };
  return { delay: Math.min(before.delay * 2, most), failures: before.failures + 1 };
}
