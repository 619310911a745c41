import { cpuMsOf } from "./process-tree.ts";

/** Notes the CPU of some processes; the answer says what each has used since, per call. */
export function cpuPerCall(processes: Record<string, number>): (calls: number) => string {
  const before = Object.entries(processes).map(([name, pid]) => ({ name, pid, ms: cpuMsOf(pid) }));
  return (calls) => before.map(({ name, pid, ms }) => `${name} ${((cpuMsOf(pid) - ms) / calls).toFixed(2)}`).join(", ");
}
