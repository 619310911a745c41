import { readdir, readFile } from "node:fs/promises";
import pg from "pg";

const folder = new URL("./migrations/", import.meta.url);
const migrationLock = 7_241_801; // any constant: it only has to be the same in every process

/**
 * Brings the database to the newest level, or only `to` that one (a backup is loaded at its own level), one transaction
 * a step; safe when several processes do it at once.
 */
export async function migrate(databaseUrl: string, { to }: { to?: string } = {}): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("set statement_timeout = 0"); // a step over millions of rows takes its time
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    await client.query(
      "create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())",
    );
    const { rows } = await client.query<{ name: string }>("select name from migrations");
    return { applied: await applyMissing(client, new Set(rows.map((row) => row.name)), to) };
  } finally {
    await client.end();
  }
}

/** The levels that this version knows, oldest first. */
export async function knownLevels(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
}

async function applyMissing(client: pg.Client, known: Set<string>, to?: string): Promise<string[]> {
  const files = await knownLevels();
  const ours = new Set(files);
  const newer = [...known].filter((name) => !ours.has(name));
  if (newer.length > 0)
    throw new Error(
      `The data was written by a newer Helixrun (${newer.join(", ")}): start that version, or restore a backup.`,
    );
  const missing = files.filter((name) => !known.has(name) && (to === undefined || name <= to));
  for (const name of missing) {
    const text = await readFile(new URL(name, folder), "utf8");
    await client.query("begin");
    await client.query(text);
    await client.query("insert into migrations (name) values ($1)", [name]);
    await client.query("commit");
  }
  return missing;
}
