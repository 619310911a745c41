import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { readConfig } from "../../cli/config.ts";
import { type Child, keepRunning } from "../../cli/supervisor/child.ts";
import { prepareDataDirectory } from "../../cli/supervisor/data-directory.ts";
import { choosePorts, type Ports } from "../../cli/supervisor/ports.ts";
import { findPrograms } from "../../cli/supervisor/programs.ts";
import type { Service } from "../../cli/supervisor/service.ts";
import { postgresService } from "../../cli/supervisor/services.ts";
import { createTalk } from "../../cli/supervisor/talk.ts";
import { chooseTemporal } from "../../cli/supervisor/temporal-choice.ts";
import { createLeash } from "../../cli/supervisor/leash.ts";
import { logFileOf } from "../../cli/supervisor/log-file.ts";
import { prepareServer } from "../../ledger/server/embedded-server.ts";
import { migrate } from "../../ledger/migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** An administrator's URL: each test file clones a database of its own from the template. */
    databaseUrl: string;
    templateDatabase: string;
    temporalAddress: string;
  }
}

const templateDatabase = "helixrun_template";

/** One real PostgreSQL and one real Temporal server for all test files; both end with the run, whichever way it ends. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "helixrun-test-"));
  const config = readConfig({ data: dataDir });
  const { setpriv } = await findPrograms(config.searchPath);
  const leash = createLeash(setpriv, new AbortController().signal);
  await prepareDataDirectory(dataDir);
  const ports = await choosePorts(dataDir, {});
  const children: Child[] = [];
  const teardown = async () => {
    await Promise.all(children.map((child) => child.stop(10_000)));
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const [databaseUrl, temporalAddress] = await Promise.all([startPostgres(ports), startTemporal(ports)]);
    project.provide("databaseUrl", databaseUrl);
    project.provide("templateDatabase", templateDatabase);
    project.provide("temporalAddress", temporalAddress);
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }

  async function startPostgres({ postgres: port }: Ports): Promise<string> {
    // Nothing here has to survive a power cut.
    const settings = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };
    const server = await prepareServer({ dataDir, cacheDir: config.cacheDir, port, leash, say: warn, settings });
    await run(postgresService(server));
    await makeTemplate(server.adminUrl);
    return server.adminUrl;
  }

  async function startTemporal(chosen: Ports): Promise<string> {
    const { address, service } = await chooseTemporal(config, chosen, leash, quietTalk());
    if (service) await run(service);
    return address;
  }

  function run(service: Service): Promise<void> {
    const child = keepRunning(service, {
      log: logFileOf(dataDir, service.name),
      setpriv,
      changed: () => undefined,
      say: warn,
    });
    children.push(child);
    return child.firstReady;
  }
}

const warn = (line: string) => void process.stderr.write(`${line}\n`);

// A first run may have to build the Temporal server: that shows, the rest does not.
const quietTalk = () => ({ ...createTalk(process.stderr), say: () => undefined });

async function makeTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`create database ${templateDatabase}`);
  await client.end();
  const url = new URL(adminUrl);
  url.pathname = `/${templateDatabase}`;
  await migrate(url.href);
}
