import pg from "pg";

export type Session = AsyncDisposable & { client: pg.Client };

/** A connection of its own for copying tables: no time limit, and every value written the same way on every server. */
export async function openSession(databaseUrl: string): Promise<Session> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined); // the server went away: the next statement says so
  await client.connect();
  await client.query(settings);
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

const settings = `
set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_encoding = 'UTF8'; set timezone = 'UTC';
set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set extra_float_digits = 1; set bytea_output = 'hex'`;
