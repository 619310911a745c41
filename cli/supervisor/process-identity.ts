import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** A process by its id and its start: the id alone may belong to somebody else by now. */
export const ProcessIdentity = z.object({ pid: z.int().positive(), startTime: z.string() });
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

export function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

export const isRunning = ({ pid, startTime }: ProcessIdentity): boolean => startTimeOf(pid) === startTime;

/** Sends a signal to that very process, never to another that took over its id. */
export function signalTo(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

export async function isGoneWithin(identity: ProcessIdentity, milliseconds: number, every = 20): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (isRunning(identity)) {
    if (Date.now() > deadline) return false;
    await sleep(every);
  }
  return true;
}

/** The start time in `/proc/<pid>/stat`, in ticks since boot; undefined for one that is gone or a zombie. The name may hold blanks and brackets. */
export function startTimeIn(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

function startTimeOf(pid: number): string | undefined {
  try {
    if (process.platform === "linux") return startTimeIn(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return undefined;
  }
}
