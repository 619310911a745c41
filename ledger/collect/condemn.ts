import type { Db } from "../db.ts";
import type { Amount } from "./amount.ts";
import { unreferenced } from "./unreferenced.ts";

const pageSize = 1_000;

type Page = Amount & { last: string | null };

/**
 * Walks over all blobs, a page at a time, and condemns those that nothing has referred to for so long. One that was
 * condemned and is wanted again is let off: should it be forgotten once more, it has its whole grace again.
 */
export async function* condemnBlobs(db: Db, { unreferencedMs }: { unreferencedMs: number }): AsyncGenerator<Amount> {
  yield* pages((after) => db.query<Page>(condemn, [after, unreferencedMs]));
}

/** What `condemnBlobs` would condemn now. */
export async function* condemnable(db: Db, { unreferencedMs }: { unreferencedMs: number }): AsyncGenerator<Amount> {
  yield* pages((after) => db.query<Page>(count, [after, unreferencedMs]));
}

async function* pages(next: (after: string) => Promise<Page[]>): AsyncGenerator<Amount> {
  for (let after: string | null = ""; after !== null;) {
    const [page]: Page[] = await next(after);
    if (page) yield { count: page.count, bytes: page.bytes };
    after = page?.last ?? null;
  }
}

// The age is that of the last reference: of the newest artifact that was removed, or of the blob itself. The size of a
// page is no parameter: not knowing it, PostgreSQL plans for a tenth of all blobs and reads all artifacts for each page.
const judged = `
with page as (select sha256, bytes, condemned_at, stored_at from blobs where sha256 > $1 order by sha256 limit ${pageSize}),
judged as (
  select b.sha256, b.bytes, b.condemned_at,
    b.stored_at < now() - $2 * interval '1 ms' and ${unreferenced} and not exists (
      select from artifacts a where a.sha256 = b.sha256 and a.tombstoned_at >= now() - $2 * interval '1 ms') as doomed
  from page b)`;

const count = {
  name: "count-condemnable",
  text: `${judged}
select (select max(sha256) from page) as last, count(*), coalesce(sum(bytes), 0)::bigint as bytes
from judged where doomed and condemned_at is null`,
};

// The few that change are looked up one by one: joined as a table, all blobs were read for each page (60 ms at 100,000).
const condemn = {
  name: "condemn-blobs",
  text: `${judged},
turned as (select sha256, doomed from judged where doomed <> (condemned_at is not null)),
locked as (
  select b.sha256 from blobs b where b.sha256 = any (array(select sha256 from turned)) order by b.sha256 for update skip locked),
changed as (
  update blobs set condemned_at = case when doomed then now() end from turned
  where blobs.sha256 = any (array(select sha256 from locked)) and turned.sha256 = blobs.sha256
  returning doomed, bytes)
select (select max(sha256) from page) as last, count(*), coalesce(sum(bytes), 0)::bigint as bytes from changed where doomed`,
};
