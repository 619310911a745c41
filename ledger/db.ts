import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

/** A statement with a name: PostgreSQL parses and plans it once per connection. */
export type Statement = { name: string; text: string };

/** One connection, for the length of a transaction. */
export type Session = Pick<pg.ClientBase, "query">;

export type Db = {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  /** For what has to hold together with something outside PostgreSQL. Not sent again: whoever asked comes later. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/**
 * The pool. When PostgreSQL is away (killed, restarting) a statement is sent again until `patienceMs` has passed:
 * every statement of the ledger may be repeated, so an unknown outcome is answered by asking once more.
 */
export function createDb({ url, max = 10, patienceMs = 0 }: { url: string; max?: number; patienceMs?: number }): Db {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    idleTimeoutMillis: 0, // connections are kept: opening one costs more than most of our statements
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    types: { getTypeParser: parserOf },
  });
  pool.on("error", () => undefined); // an idle connection broke: the pool has dropped it, the next query opens another
  // One may also break while its transaction waits for something else, or while it is being closed: the next statement
  // says so, if there is one.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return {
    async query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) {
      const until = performance.now() + patienceMs;
      for (;;) {
        try {
          return (await pool.query<Row>({ ...statement, values })).rows;
        } catch (error) {
          if (!isLedgerAway(error) || performance.now() >= until) throw error;
          await pause(100);
        }
      }
    },
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const answer = await work(client);
        await client.query("commit");
        client.release();
        return answer;
      } catch (error) {
        client.release(true); // closing the connection rolls back, also when it is broken
        throw error;
      }
    },
    close: () => pool.end(),
  };
}

/** Whether the error says that PostgreSQL could not be reached or went away, rather than that it refused the statement. */
export function isLedgerAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return awayCodes.has(code) || awayClasses.test(code) || awayMessages.test(error.message);
}
const awayCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "57P01", "57P02", "57P03"]);
const awayClasses = /^08/; // connection exceptions
const awayMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

const int8 = 20;
/** Our 64-bit columns are counters and sizes far below 2^53: numbers, not strings. */
function parserOf(oid: number, format?: "text" | "binary"): unknown {
  if (oid === int8) return Number;
  return format === "binary" ? pg.types.getTypeParser(oid, "binary") : pg.types.getTypeParser(oid, "text");
}
