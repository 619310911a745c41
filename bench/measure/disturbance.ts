import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { cpuMsOf } from "./process-tree.ts";

/**
 * Watches how much of the machine others use while we measure: the share of all cores that was busy (or stolen by the
 * host) and not with us or what we started. Ratios bear some of it, times do not: above a tenth, measure again.
 */
export function watchDisturbance(): () => number {
  const began = { at: performance.now(), busy: busyMs(), ours: cpuMsOf(process.pid) };
  return () => {
    const others = busyMs() - began.busy - (cpuMsOf(process.pid) - began.ours);
    return Math.max(0, others / ((performance.now() - began.at) * availableParallelism()));
  };
}

/** From the first line of /proc/stat: user, nice, system, (idle, waiting), interrupts, soft interrupts, stolen. */
function busyMs(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return 10 * (user + nice + system + interrupts + soft + stolen); // 100 ticks a second
}
