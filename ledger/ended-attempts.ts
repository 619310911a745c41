import pg from "pg";

/** Wakes whoever waits for an attempt to become final. */
export type EndedAttempts = {
  /**
   * True when the attempt is final, false when `timeoutMs` has passed. Register before the statement that could lead
   * to the end; who joins an attempt looks once more after registering.
   */
  wait(attempt: { runId: string; attempt: number }, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
};

const pollEveryMs = 1_000;
const listenAgainAfterMs = 250;

/** LISTEN on a connection of its own; a poll every second, and once after each reconnect, tells what was missed. */
export function createEndedAttempts({ url }: { url: string }): EndedAttempts {
  const waiting = new Map<string, Set<() => void>>();
  let listener: pg.Client | undefined;
  let closed = false;

  const wake = (key: string) => {
    const wakers = waiting.get(key);
    waiting.delete(key);
    for (const waker of wakers ?? []) waker();
  };

  const poll = async () => {
    if (waiting.size === 0 || !listener) return;
    const runIds = [...new Set([...waiting.keys()].map((key) => key.split(" ")[0]))];
    const { rows } = await listener.query<{ key: string }>(endedOnes, [runIds]);
    for (const row of rows) wake(row.key);
  };

  const listen = async () => {
    const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined); // "end" follows
    client.on("end", () => {
      listener = undefined;
      if (!closed) setTimeout(() => void listen(), listenAgainAfterMs).unref();
    });
    client.on("notification", (message) => wake(message.payload ?? ""));
    try {
      await client.connect();
      await client.query("listen attempt_final");
      listener = client;
      await poll();
    } catch {
      await client.end().catch(() => undefined);
    }
  };

  void listen();
  const timer = setInterval(() => void poll().catch(() => undefined), pollEveryMs);
  timer.unref();

  return {
    wait({ runId, attempt }, timeoutMs, signal) {
      const key = `${runId} ${attempt}`;
      return new Promise((resolve) => {
        const settle = (ended: boolean) => {
          clearTimeout(timeout);
          signal?.removeEventListener("abort", leave);
          waiting.get(key)?.delete(woken);
          resolve(ended);
        };
        const woken = () => settle(true);
        const leave = () => settle(false);
        const timeout = setTimeout(leave, Math.max(0, timeoutMs));
        signal?.addEventListener("abort", leave);
        const wakers = waiting.get(key);
        if (wakers) wakers.add(woken);
        else waiting.set(key, new Set([woken]));
      });
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await listener?.end();
    },
  };
}

const endedOnes = `select run_id || ' ' || attempt as key from attempts where run_id = any($1) and ended_at is not null`;
