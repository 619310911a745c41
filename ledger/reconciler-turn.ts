import pg from "pg";

/** Whether it is this process's turn to reconcile: one at a time in the whole installation. */
export type ReconcilerTurn = { isOurs(): Promise<boolean>; close(): Promise<void> };

const reconcilerLock = 7_241_802;

/** A session-level advisory lock on a connection of its own: PostgreSQL gives it back when the holder is gone. */
export function createReconcilerTurn({ url }: { url: string }): ReconcilerTurn {
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
      const { rows } = await client.query<{ ours: boolean }>("select pg_try_advisory_lock($1) as ours", [
        reconcilerLock,
      ]);
      if (rows[0]?.ours) holder = client;
      else await client.end();
      return holder !== undefined;
    },
    async close() {
      await holder?.end();
    },
  };
}
