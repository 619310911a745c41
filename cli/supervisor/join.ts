import { setTimeout as sleep } from "node:timers/promises";
import { complaint, exitCodes } from "../complaint.ts";
import { type Lock, takeLock } from "./lock.ts";
import { liveStack, type Stack } from "./stack-file.ts";

export type Joined = { role: "owner"; lock: Lock } | { role: "guest"; stack: Stack };

// A first start may build the Temporal server, which takes about five minutes on two cores.
export const startWithin = 20 * 60_000;

/** Takes the lock and so becomes the owner, or waits until the owner's stack serves. */
export async function joinStack(
  dataDir: string,
  flock: string | undefined,
  isJoinable: (stack: Stack) => boolean,
  say: (line: string) => void,
): Promise<Joined> {
  const deadline = Date.now() + startWithin;
  for (let said = ""; Date.now() < deadline; await sleep(200)) {
    const lock = await takeLock(dataDir, flock);
    if (lock) return { role: "owner", lock };
    const stack = await liveStack(dataDir);
    if (stack && isJoinable(stack)) return { role: "guest", stack };
    const line = waitingFor(stack);
    if (line !== said) say(line);
    said = line;
  }
  throw complaint(
    `another helixrun holds ${dataDir} and its stack did not come up in ${startWithin / 60_000} minutes. Fix: helixrun down --data ${dataDir}`,
    exitCodes.retryable,
  );
}

const waitingFor = (stack: Stack | undefined): string =>
  stack
    ? `waiting for the stack of process ${stack.supervisor.pid}: ${stack.step}`
    : "waiting for another helixrun that has just taken this data directory";
