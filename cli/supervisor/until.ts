import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits for work no longer than that, and no longer than `whole` lasts; the work gets a signal that tells it to stop trying.
 * Whoever gives up is told what was waited for.
 */
export async function within<T>(
  milliseconds: number,
  what: string,
  whole: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const given = Promise.withResolvers<never>();
  const over = new AbortController();
  const giveUp = (reason: Error) => {
    over.abort(reason);
    given.reject(reason);
  };
  const timer = setTimeout(() => giveUp(new Error(`${what} took longer than ${milliseconds / 1000} s`)), milliseconds);
  const ended = () => giveUp(new Error(`${what} was given up`));
  whole.addEventListener("abort", ended);
  if (whole.aborted) ended();
  try {
    return await Promise.race([work(over.signal), given.promise]);
  } finally {
    clearTimeout(timer);
    whole.removeEventListener("abort", ended);
    over.abort();
  }
}

/** Asks again and again until there is an answer; undefined when the time is over. */
export async function poll<T>(
  milliseconds: number,
  every: number,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || Date.now() > deadline) return answer;
    await sleep(every);
  }
}
