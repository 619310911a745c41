import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

const Health = z.object({ idle_ms: z.number(), open_attempts: z.number().nullable() }); // null: the ledger is away
export type Health = z.infer<typeof Health>;

/** Resolves once nobody has used the stack for so long and nothing is open; never before `signal` ends otherwise. */
export async function untilIdle(apiUrl: string, seconds: number, signal: AbortSignal): Promise<void> {
  const every = Math.min(5000, (seconds * 1000) / 4);
  while (!signal.aborted) {
    await sleep(every, undefined, { signal }).catch(() => undefined);
    const health = await healthOf(`${apiUrl}/healthz`);
    if (health && isIdle(health, seconds)) return;
  }
}

export const isIdle = ({ idle_ms, open_attempts }: Health, seconds: number): boolean =>
  idle_ms > seconds * 1000 && open_attempts === 0;

/** A gateway that is away or answers otherwise is being restarted: not idle. */
function healthOf(url: string): Promise<Health | undefined> {
  return new Promise((done) => {
    const request = get(url, { timeout: 5000 }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () => done(healthIn(body)));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => done(undefined));
  });
}

function healthIn(body: string): Health | undefined {
  try {
    return Health.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}
