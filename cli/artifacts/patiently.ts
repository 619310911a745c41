import { setTimeout as pause } from "node:timers/promises";
import { complaint, exitCodes, isComplaint, reasonOf } from "../complaint.ts";

const patienceMs = 60_000;
const [firstPauseMs, longestPauseMs] = [100, 2_000];

/**
 * Does something that may be done again, until it succeeds: connections break, the gateway restarts. Gives up when
 * nothing has moved for a minute, or at once when the gateway has said why not.
 */
export async function patiently<T>(work: (moved: () => void) => Promise<T>): Promise<T> {
  let lastMove = performance.now();
  let pauseMs = firstPauseMs;
  const moved = () => {
    lastMove = performance.now();
    pauseMs = firstPauseMs;
  };
  for (;;) {
    try {
      return await work(moved);
    } catch (error) {
      if (isComplaint(error) || !isBrokenConnection(error)) throw error;
      if (performance.now() - lastMove > patienceMs)
        throw complaint(`the gateway cannot be reached: ${reasonOf(error)}`, exitCodes.retryable, error);
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }
}

const broken = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ECONNABORTED",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

function isBrokenConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return broken.has(code) || /socket hang up|aborted|silent|other side closed/.test(error.message);
}
