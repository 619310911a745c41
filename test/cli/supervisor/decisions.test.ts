import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig, readServiceConfig, serviceEnvironment } from "../../../cli/config.ts";
import { clientConfiguration } from "../../../cli/supervisor/announcement.ts";
import { detachedArguments } from "../../../cli/supervisor/attach-or-start.ts";
import { afterEnd, noFailures } from "../../../cli/supervisor/back-off.ts";
import { isIdle } from "../../../cli/supervisor/idle-stop.ts";
import { lastLines } from "../../../cli/supervisor/log-file.ts";
import { choosePorts } from "../../../cli/supervisor/ports.ts";
import { identityOf, isRunning, startTimeIn } from "../../../cli/supervisor/process-identity.ts";
import { createPublisher } from "../../../cli/supervisor/publisher.ts";
import { tiedCommand } from "../../../cli/supervisor/tied-command.ts";

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "helixrun-decisions-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe("restarting", () => {
  test("the pause doubles from 100 ms to 5 s while a service keeps ending", () => {
    const pauses = Array.from({ length: 8 }).reduce<{ delay: number; failures: number }[]>(
      (seen) => [...seen, afterEnd(seen.at(-1) ?? noFailures, 10)],
      [],
    );

    expect(pauses.map(({ delay }) => delay)).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  test("a service that lived for 5 s begins with the shortest pause again", () => {
    expect(afterEnd({ delay: 5000, failures: 9 }, 5000)).toEqual({ delay: 100, failures: 1 });
  });
});

describe("processes", () => {
  test.each([
    {
      what: "a name with brackets and blanks",
      stat: `7 (a) b (c)) S ${Array(18).fill("0").join(" ")} 4711 0`,
      start: "4711",
    },
    { what: "a zombie", stat: `7 (node) Z ${Array(18).fill("0").join(" ")} 4711 0`, start: undefined },
  ])("the start time is found behind $what", ({ stat, start }) => {
    expect(startTimeIn(stat)).toBe(start);
  });

  test("a process id that belongs to somebody else by now is not the process we knew", () => {
    const self = identityOf(process.pid);

    expect(self && isRunning(self)).toBe(true);
    expect(isRunning({ pid: process.pid, startTime: "1" })).toBe(false);
  });

  test("a tied command keeps its arguments as they are, and without setpriv the command stays as it is", () => {
    expect(tiedCommand(["/bin/x", "a b", "$c"], "QUIT", 42, "/usr/bin/setpriv").slice(-3)).toEqual([
      "/bin/x",
      "a b",
      "$c",
    ]);
    expect(tiedCommand(["/bin/x", "a b"], "QUIT", 42, undefined)).toEqual(["/bin/x", "a b"]);
  });
});

describe("ports", () => {
  test("the ports of the last start are taken again, and one that is busy now is replaced", async () => {
    const dataDir = await directory();
    const first = await choosePorts(dataDir, {});
    expect(await choosePorts(dataDir, {})).toEqual(first);
    const intruder = createServer().listen(first.temporal, "127.0.0.1");
    onTestFinished(() => void intruder.close());

    const second = await choosePorts(dataDir, {});

    expect(second).toEqual({ ...first, temporal: second.temporal });
    expect(second.temporal).not.toBe(first.temporal);
    await expect(choosePorts(dataDir, { gateway: first.temporal })).rejects.toThrow(/is in use/);
  });
});

describe("configuration", () => {
  test("a service reads the same configuration that the supervisor wrote", () => {
    const config = {
      databaseUrl: "postgres://a@127.0.0.1:5432/c",
      temporalAddress: "127.0.0.1:7233",
      dataDir: "/data",
      deploymentDir: "/dir",
      cacheDir: "/cache",
      port: 7000,
      importRoots: [{ name: "reads", path: "/srv/reads" }],
    };

    expect(readServiceConfig(serviceEnvironment(config))).toMatchObject(config);
  });

  test("a flag wins over the environment, and empty variables count as absent", () => {
    const config = readConfig(
      { port: "7001" },
      { HELIXRUN_PORT: "7002", HELIXRUN_TEMPORAL_PORT: "7003", DATABASE_URL: "", HELIXRUN_DATA: "/d" },
    );

    expect(config).toMatchObject({ ports: { gateway: 7001, temporal: 7003 }, databaseUrl: undefined, dataDir: "/d" });
  });

  test("a detached supervisor is given the same configuration by flags", () => {
    const config = readConfig(
      { data: "/d", dir: "/e", port: "7001", importRoot: ["reads=/srv/reads"], idleStop: "600" },
      {},
    );
    const flags = detachedArguments(config).slice(2);

    expect(flags).toEqual([
      "--data",
      "/d",
      "--dir",
      "/e",
      "--port",
      "7001",
      "--idle-stop",
      "600",
      "--import-root",
      "reads=/srv/reads",
    ]);
  });

  test("the printed client configuration names absolute paths only", () => {
    expect(JSON.parse(clientConfiguration("/d", "/usr/bin/node", "/clone/helixrun.mjs"))).toEqual({
      mcpServers: { helixrun: { command: "/usr/bin/node", args: ["/clone/helixrun.mjs", "mcp", "--data", "/d"] } },
    });
  });
});

test.each([
  { health: { idle_ms: 2001, open_attempts: 0 }, idle: true },
  { health: { idle_ms: 1999, open_attempts: 0 }, idle: false },
  { health: { idle_ms: 9999, open_attempts: 1 }, idle: false },
  { health: { idle_ms: 9999, open_attempts: null }, idle: false },
])("a stack with $health is idle after 2 s: $idle", ({ health, idle }) => {
  expect(isIdle(health, 2)).toBe(idle);
});

test("the end of a log is read without the rest, and an absent log is empty", async () => {
  const file = join(await directory(), "x.log");
  await writeFile(file, Array.from({ length: 20_000 }, (_, line) => `line ${line}\n`).join(""));

  expect(await lastLines(file, 2)).toEqual(["line 19998", "line 19999"]);
  expect(await lastLines(`${file}.absent`, 2)).toEqual([]);
});

test("changes during a write are written once, after it, and the newest value is the last one written", async () => {
  const written: number[] = [];
  let value = 0;
  const publisher = createPublisher(
    () => value,
    async (now) => void written.push(now),
  );

  value = 1;
  const done = publisher.publish();
  value = 2;
  void publisher.publish();
  value = 3;
  void publisher.publish();
  await done;

  expect(written).toEqual([1, 3]);
});
