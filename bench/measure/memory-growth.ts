import { readFileSync } from "node:fs";

const everyMs = 20;

/** Watches a process's memory; the answer is the most that it has grown by since now, in MB. */
export function watchMemory(pid: number): Disposable & { growthMb(): number } {
  const before = rssMbOf(pid);
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, rssMbOf(pid))), everyMs);
  return { growthMb: () => most - before, [Symbol.dispose]: () => clearInterval(timer) };
}

function rssMbOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}
