import { readdirSync, readFileSync } from "node:fs";

/** A process and all its descendants, as they are now. */
export function treeOf(root: number): number[] {
  const parents = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => [Number(pid), parentOf(Number(pid))]);
  const below = (pid: number): number[] =>
    parents.flatMap(([child = 0, parent]) => (parent === pid ? [child, ...below(child)] : []));
  return [root, ...below(root)];
}

/** Milliseconds of CPU that a process and its descendants have used so far, those included that have ended. */
export function cpuMsOf(root: number): number {
  const ticks = treeOf(root).flatMap((pid) => statOf(pid).slice(11, 15).map(Number));
  return 10 * ticks.reduce((sum, count) => sum + count, 0); // 100 ticks a second
}

/** Proportional set size in MB: what several processes share is divided among them. */
export function pssMbOf(pids: readonly number[]): number {
  return (
    pids.reduce((sum, pid) => sum + Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0), 0) /
    1024
  );
}

const parentOf = (pid: number): number => Number(statOf(pid)[1]);

// The fields after the name, which may itself hold blanks and brackets.
function statOf(pid: number): string[] {
  const text = textOf(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it ended meanwhile
  }
}
