import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../cli/config.ts";
import { keepRunning } from "../../../cli/supervisor/child.ts";
import { prepareDataDirectory } from "../../../cli/supervisor/data-directory.ts";
import { createLeash } from "../../../cli/supervisor/leash.ts";
import { choosePorts } from "../../../cli/supervisor/ports.ts";
import { postgresService } from "../../../cli/supervisor/services.ts";
import { postgresBinaries } from "../../../ledger/server/binaries.ts";
import { type EmbeddedServer, prepareServer } from "../../../ledger/server/embedded-server.ts";
import { straysOf } from "../../../ledger/server/end-strays.ts";
import { hydrateLinks } from "../../../ledger/server/hydrate-links.ts";
import { databaseOwner } from "../../../ledger/server/owner.ts";
import { eventually } from "../../cli/kit.ts";

const { cacheDir } = readConfig();
const leash = createLeash("/usr/bin/setpriv", new AbortController().signal);
const isRoot = process.getuid?.() === 0;

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "helixrun-postgres-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function prepared(dataDir: string, said: string[] = []): Promise<EmbeddedServer> {
  await prepareDataDirectory(dataDir);
  const { postgres: port } = await choosePorts(dataDir, {});
  const server = await prepareServer({
    dataDir,
    cacheDir,
    port,
    leash,
    say: (line) => void said.push(line),
    settings: { fsync: "off" },
  });
  onTestFinished(() => rm(server.cluster, { recursive: true, force: true }));
  return server;
}

async function running(server: EmbeddedServer, dataDir: string) {
  const child = keepRunning(postgresService(server), {
    log: join(dataDir, "logs/postgres.log"),
    setpriv: "/usr/bin/setpriv",
    changed: () => undefined,
    say: () => undefined,
  });
  onTestFinished(() => child.stop(5000));
  await child.firstReady;
  return child;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe("the embedded PostgreSQL", () => {
  test("our role is no superuser, has a time limit for statements, and gets in with its password only", async () => {
    const dataDir = await directory();
    const server = await prepared(dataDir);
    await running(server, dataDir);

    const rows = await query(
      server.databaseUrl,
      "select rolsuper, current_setting('statement_timeout') as bound, current_setting('synchronous_commit') as sync from pg_roles where rolname = current_user",
    );

    expect(rows).toEqual([{ rolsuper: false, bound: "30s", sync: "on" }]);
    const guessed = new URL(server.databaseUrl);
    guessed.password = "guessed";
    await expect(query(guessed.href, "select 1")).rejects.toThrow(/password authentication failed/);
  });

  test("after kill -9 of the postmaster with a busy backend it serves again within seconds, and nothing is left of the old one", async () => {
    const dataDir = await directory();
    const server = await prepared(dataDir);
    const child = await running(server, dataDir);
    const busy = query(server.adminUrl, "do $$ begin loop perform 1; end loop; end $$").catch(() => "cut off");
    await eventually(async () => (await straysOf(server.cluster)).length > 5);
    const before = await straysOf(server.cluster);

    child.signal("SIGKILL");
    await eventually(() => child.restarts() === 1 && child.state() === "ready", 15_000);

    const after = await straysOf(server.cluster);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(await busy).toBe("cut off");
  });

  test("a set-up that was killed half-way begins again with the same password", async () => {
    const dataDir = await directory();
    await prepareDataDirectory(dataDir);
    await mkdir(join(dataDir, ".postgres-new/cluster"), { recursive: true });
    await writeFile(join(dataDir, ".postgres-new/cluster/PG_VERSION"), "18");
    await writeFile(
      join(dataDir, "postgres.json"),
      JSON.stringify({ cluster: "postgres", adminPassword: "first", password: "second" }),
    );

    const server = await prepared(dataDir);
    await running(server, dataDir);

    expect(await query(server.databaseUrl, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(new URL(server.adminUrl).password).toBe("first");
  });

  test("a cluster of another major version is refused with a way out", async () => {
    const dataDir = await directory();
    await prepareDataDirectory(dataDir);
    await mkdir(join(dataDir, "postgres"));
    await writeFile(join(dataDir, "postgres/PG_VERSION"), "15\n");

    await expect(prepared(dataDir)).rejects.toThrow(/made by PostgreSQL 15, installed is 18.*Fix:/);
  });

  test.skipIf(!isRoot)(
    "started by root under a closed directory, the cluster lies outside and the data directory says where",
    async () => {
      const closed = await directory(); // 0700, as mkdtemp makes it
      const dataDir = join(closed, "data");
      const said: string[] = [];
      const server = await prepared(dataDir, said);

      await running(server, dataDir);

      expect(await query(server.databaseUrl, "select 1 as one")).toEqual([{ one: 1 }]);
      expect(server.cluster).toMatch(/^\/var\/lib\/helixrun\/postgres\/[0-9a-f]{16}$/);
      expect(JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8"))).toMatchObject({
        cluster: server.cluster,
      });
      expect(said.join()).toContain(server.cluster);
      expect(await prepared(dataDir)).toMatchObject({ cluster: server.cluster });
    },
  );

  test("the links that npm cannot pack are made, once and again", async () => {
    const native = await directory();
    await mkdir(join(native, "lib"));
    await writeFile(join(native, "lib/libx.so.1.2"), "x");
    await writeFile(
      join(native, "pg-symlinks.json"),
      JSON.stringify([{ source: "native/lib/libx.so.1.2", target: "native/lib/libx.so" }]),
    );

    expect([await hydrateLinks(native), await hydrateLinks(native)]).toEqual([true, true]);

    expect(await readFile(join(native, "lib/libx.so"), "utf8")).toBe("x");
  });

  test("the binaries run from wherever they are, also when four starts copy them at once", async () => {
    const cache = await directory();
    await chmod(cache, 0o755);
    const owner = await databaseOwner();

    const copies = await Promise.all([1, 2, 3, 4].map(() => postgresBinaries(cache, owner)));

    expect(new Set(copies.map(({ directory: copy }) => copy)).size).toBe(1);
    expect(execFileSync(copies[0]?.postgres ?? "", ["--version"], { encoding: "utf8" })).toMatch(
      /^postgres \(PostgreSQL\) 18/,
    );
    expect((await readdir(cache, { recursive: true })).filter((name) => name.startsWith("postgres/."))).toEqual([]);
  });

  test("a cache that PostgreSQL's account cannot enter is passed over", async () => {
    const closed = await directory();

    const binaries = await postgresBinaries(join(closed, "cache"), await databaseOwner());

    expect(binaries.directory.startsWith(closed)).toBe(false);
  });
});
