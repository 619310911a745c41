import type pg from "pg";

export type Table = { name: string; columns: string[] };
type FoundTable = Table & { needs: string[] };

/**
 * Every table of the ledger as the database itself knows it, so that no new one is forgotten, in an order in which they
 * can be loaded: what is referred to comes first, else by name. `migrations` is left out: migrating writes it.
 */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<FoundTable>(find);
  return inOrder(rows).map(({ name, columns }) => ({ name, columns }));
}

const find = `
select t.relname as name,
  array(select attname::text from pg_attribute
    where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
  array(select other.relname::text from pg_constraint k join pg_class other on other.oid = k.confrelid
    where k.conrelid = t.oid and k.contype = 'f' and k.confrelid <> t.oid) as needs
from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and t.relname <> 'migrations'
order by t.relname`;

function inOrder(tables: FoundTable[]): FoundTable[] {
  const placed: FoundTable[] = [];
  const isPlaced = (name: string) => placed.some((table) => table.name === name);
  while (placed.length < tables.length) {
    const next = tables.find(({ name, needs }) => !isPlaced(name) && needs.every(isPlaced));
    if (!next)
      throw new Error("tables of the ledger refer to each other in a circle: none of them can be loaded first");
    placed.push(next);
  }
  return placed;
}

type SequencePosition = { name: string; last_value: number; is_called: boolean };

/** Where counters stand, those behind identity columns too. Read after the snapshot was taken: never behind its rows. */
export async function sequencesOf(client: pg.Client): Promise<SequencePosition[]> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname",
  );
  const positions: SequencePosition[] = [];
  for (const { name } of rows) {
    const found = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value, is_called from ${client.escapeIdentifier(name)}`,
    );
    for (const { last_value, is_called } of found.rows)
      positions.push({ name, last_value: Number(last_value), is_called });
  }
  return positions;
}

/** Text that stands for a table and its columns in COPY. */
export function copyTarget(client: pg.Client, { name, columns }: Table): string {
  return `${client.escapeIdentifier(name)} (${columns.map((column) => client.escapeIdentifier(column)).join(", ")})`;
}
