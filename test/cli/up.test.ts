import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { eventually, helixrun, kill, processesOf, readyStack, temporaryDirectory, up } from "./kit.ts";

async function emptyDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

const services = ["postgres", "temporal", "worker", "gateway"] as const;

describeWith("temporal", "helixrun up", () => {
  test("an empty directory becomes a stack of four live services, each of which comes back when killed", async () => {
    const dataDir = await emptyDirectory();
    const { line } = await up(dataDir);
    const before = await readyStack(dataDir);
    expect(line.pids).toEqual({ supervisor: before.supervisor.pid, ...pidsOf(before) });
    expect((await stat(join(dataDir, "credentials/local.json"))).mode & 0o777).toBe(0o600);

    for (const name of services) kill(line.pids[name], "SIGKILL");

    const after = await eventually(async () => {
      const stack = await readyStack(dataDir);
      return services.every((name) => stack.services[name]?.restarts) && stack;
    });
    expect(new Set([...Object.values(pidsOf(after)), ...Object.values(pidsOf(before))]).size).toBe(8);
    expect(after.supervisor).toEqual(before.supervisor);
  });

  test("a killed supervisor takes everything with it, and the next start goes on with the same data on the same ports", async () => {
    const dataDir = await emptyDirectory();
    const first = await up(dataDir);
    const stack = await readyStack(dataDir);
    const cluster = await clusterIn(dataDir);

    kill(first.line.pids.supervisor, "SIGKILL");
    await first.ended;
    await eventually(() => processesOf(dataDir).length === 0, 10_000);
    // By now the recorded ids may belong to others: they must not be taken for ours, nor be ended.
    const bystander = { pid: process.pid, startTime: "1" };
    const strangers = { temporal: { ...stack.services.temporal, process: bystander } };
    await writeFile(
      join(dataDir, "stack.json"),
      JSON.stringify({ ...stack, supervisor: bystander, services: strangers }),
    );
    const second = await up(dataDir);

    const { mcpUrl, temporalUiUrl, token } = first.line;
    expect(second.line).toMatchObject({ mcpUrl, temporalUiUrl, token });
    expect(await clusterIn(dataDir)).toBe(cluster);
  });

  test("a second start attaches to the first, and leaves it running when it is stopped", async () => {
    const dataDir = await emptyDirectory();
    const owner = await up(dataDir);

    const guest = await up(dataDir);
    guest.process.kill("SIGINT");

    expect(await guest.ended).toEqual({ code: 0, signal: null });
    expect(guest.stderr()).toContain(`attached to the stack of process ${owner.line.pids.supervisor}`);
    expect(guest.line.pids).toEqual(owner.line.pids);
    expect((await readyStack(dataDir)).supervisor.pid).toBe(owner.line.pids.supervisor);
    owner.process.kill("SIGTERM");
    expect(await owner.ended).toEqual({ code: 0, signal: null });
    expect(processesOf(dataDir)).toEqual([]);
  });

  test("--once makes the first calls, prints one line and leaves nothing running", async () => {
    const dataDir = await emptyDirectory();

    const { ended, stdout, line } = await up(dataDir, ["--once"]);

    expect(await ended).toEqual({ code: 0, signal: null });
    expect(stdout().trimEnd().split("\n")).toHaveLength(1);
    expect(line).toMatchObject({ firstRun: { status: "success" }, replay: { replayed: true } });
    expect(line.replay?.run_id).toBe(line.firstRun?.run_id);
    expect(processesOf(dataDir)).toEqual([]);
  });

  test("of three starts at the same moment one owns the stack and two attach", async () => {
    const dataDir = await emptyDirectory();

    const started = await Promise.all([up(dataDir), up(dataDir), up(dataDir)]);

    expect(new Set(started.map(({ line }) => line.pids.supervisor)).size).toBe(1);
    expect(started.filter(({ stderr }) => stderr().includes("attached to the stack"))).toHaveLength(2);
    kill(started[0].line.pids.supervisor, "SIGTERM");
    expect(await Promise.all(started.map(({ ended }) => ended))).toEqual(
      started.map(() => ({ code: 0, signal: null })),
    );
  });

  test("all faults of the configuration are told at once", async () => {
    const { ended, stderr } = helixrun(["up", "--port", "0", "--temporal-port", "x", "--import-root", "nowhere"]);

    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(/--port .*\n.*--temporal-port .*\n.*--import-root /);
  });
});

// The first eight bytes of the control file are the identity that initdb gave the cluster.
const clusterIn = async (dataDir: string) =>
  (await readFile(join(dataDir, "postgres/global/pg_control"))).readBigUInt64LE();

type Stack = Awaited<ReturnType<typeof readyStack>>;

const pidsOf = (stack: Stack) => Object.fromEntries(services.map((name) => [name, stack.services[name]?.process?.pid]));
