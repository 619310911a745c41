import { setTimeout as pause } from "node:timers/promises";

/** Slows a reader down to so many bytes a second: a wait after each part. Ends with the signal's reason. */
export function createPace(bytesPerSecond: number, signal?: AbortSignal): (bytes: number) => Promise<void> {
  return async function pace(bytes) {
    await pause((bytes / bytesPerSecond) * 1_000, undefined, signal && { signal });
  };
}
