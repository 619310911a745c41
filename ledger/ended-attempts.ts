import pg from "pg";

/** How an attempt ended: the canonical JSON of its output, or of its error. */
export type Ended = { result: string | null; error: string | null };

/** Tells whoever waits for an attempt how it ended. */
export type EndedAttempts = {
  /**
   * Undefined when `timeoutMs` has passed. Register before the statement that could lead to the end; who joins an
   * attempt looks once more after registering.
   */
  wait(attempt: { runId: string; attempt: number }, timeoutMs: number): Promise<Ended | undefined>;
  close(): Promise<void>;
};

const pollEveryMs = 1_000;
const listenAgainAfterMs = 250;

/** LISTEN on a connection of its own; a poll every second, and once after each reconnect, tells what was missed. */
export function createEndedAttempts({ url }: { url: string }): EndedAttempts {
  const waiting = new Map<string, Set<(ended: Ended) => void>>();
  let listener: pg.Client | undefined;
  let closed = false;

  const tell = (key: string, ended: Ended) => {
    const wakers = waiting.get(key);
    waiting.delete(key);
    for (const waker of wakers ?? []) waker(ended);
  };

  const askFor = async (keys: string[]) => {
    if (keys.length === 0 || !listener) return;
    const runIds = [...new Set(keys.map((key) => key.split(" ")[0]))];
    const { rows } = await listener.query<Ended & { key: string }>(endedOnes, [runIds]);
    for (const { key, result, error } of rows) tell(key, { result, error });
  };

  let asking = Promise.resolve();
  /** One question at a time on the one connection. Unanswered, it is asked again by the next poll. */
  const ask = (keys: () => string[]) => (asking = asking.then(() => askFor(keys())).catch(() => undefined));
  const poll = () => ask(() => [...waiting.keys()]);

  const hear = (news: string) => {
    const [, key = "", kind, text = ""] = /^(\S+ \d+)(?: ([+-])(.*))?$/s.exec(news) ?? [];
    if (!waiting.has(key)) return;
    if (kind === undefined) void ask(() => [key]); // too long for a notification
    else tell(key, kind === "+" ? { result: text, error: null } : { result: null, error: text });
  };

  const listen = async () => {
    const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined); // "end" follows
    client.on("end", () => {
      listener = undefined;
      if (!closed) setTimeout(() => void listen(), listenAgainAfterMs).unref();
    });
    client.on("notification", (message) => hear(message.payload ?? ""));
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
  const timer = setInterval(() => void poll(), pollEveryMs);
  timer.unref();

  return {
    wait({ runId, attempt }, timeoutMs) {
      const key = `${runId} ${attempt}`;
      return new Promise((resolve) => {
        const settle = (ended?: Ended) => {
          clearTimeout(timeout);
          const wakers = waiting.get(key);
          wakers?.delete(settle);
          if (wakers?.size === 0) waiting.delete(key);
          resolve(ended);
        };
        const timeout = setTimeout(settle, Math.max(0, timeoutMs));
        const wakers = waiting.get(key);
        if (wakers) wakers.add(settle);
        else waiting.set(key, new Set([settle]));
      });
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await listener?.end();
    },
  };
}

const endedOnes = `
select run_id || ' ' || attempt as key, convert_from(result, 'utf8') as result, convert_from(error, 'utf8') as error
from attempts where run_id = any($1) and ended_at is not null`;
