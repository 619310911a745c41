import pg from "pg";

/** Whether it is this process's turn to do something: one at a time in the whole installation. */
export type Turn = { isOurs(): Promise<boolean>; close(): Promise<void> };

const locks = { reconciler: 7_241_802, janitor: 7_241_804 } as const; // the one between them is collection-lock.ts's

/** A session-level advisory lock on a connection of its own: PostgreSQL gives it back when the holder is gone. */
export function createTurn({ url, of }: { url: string; of: keyof typeof locks }): Turn {
  let holder: pg.Client | undefined;
  return {
    async isOurs() {
      if (holder) return true;
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
      client.on("error", () => undefined); // "end" follows
      client.on("end", () => {
        if (holder === client) holder = undefined;
      });
      await client.connect();
      const { rows } = await client.query<{ ours: boolean }>("select pg_try_advisory_lock($1) as ours", [locks[of]]);
      if (rows[0]?.ours) holder = client;
      else await client.end();
      return holder !== undefined;
    },
    async close() {
      await holder?.end();
    },
  };
}
