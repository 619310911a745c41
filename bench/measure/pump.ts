/** Calls again and again with so many callers at once: for a time, or a number of calls. */
export async function pump(
  until: { total: number } | { forMs: number },
  callers: number,
  call: () => Promise<unknown>,
): Promise<{ calls: number; rate: number }> {
  const began = performance.now();
  const isOver = "total" in until ? () => calls >= until.total : () => performance.now() - began >= until.forMs;
  let calls = 0;
  const caller = async () => {
    while (!isOver()) {
      calls++;
      await call();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { calls, rate: (calls * 1000) / (performance.now() - began) };
}
