import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../cli/config.ts";
import { attachOrStart } from "../../cli/supervisor/attach-or-start.ts";
import { choosePorts } from "../../cli/supervisor/ports.ts";
import { liveStack } from "../../cli/supervisor/stack-file.ts";
import { describeWith } from "../kit/component.ts";
import { eventually, helixrun, processesOf, temporaryDirectory, up } from "./kit.ts";

async function emptyDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

async function answerOf(args: string[]): Promise<{ code: number | null; stdout: string }> {
  const running = helixrun(args);
  const { code } = await running.ended;
  return { code, stdout: running.stdout() };
}

describeWith("temporal", "the commands around a stack", () => {
  test("status, logs and doctor tell of a running stack, SIGHUP does not end it, and down stops it", async () => {
    const dataDir = await emptyDirectory();
    expect(await answerOf(["status", "--data", dataDir])).toEqual({ code: 3, stdout: `not running: ${dataDir}\n` });
    const owner = await up(dataDir);

    owner.process.kill("SIGHUP");

    const status = await answerOf(["status", "--json", "--data", dataDir]);
    expect({ code: status.code, ...JSON.parse(status.stdout) }).toMatchObject({
      code: 0,
      running: true,
      mcpUrl: owner.line.mcpUrl,
    });
    const logs = await answerOf(["logs", "postgres", "-n", "50", "--data", dataDir]);
    expect(logs.stdout).toContain("database system is ready to accept connections");
    const doctor = await answerOf(["doctor", "--json", "--data", dataDir]);
    expect({ code: doctor.code, ...JSON.parse(doctor.stdout) }).toMatchObject({ code: 0, healthy: true });
    expect(await answerOf(["down", "--data", dataDir])).toEqual({ code: 0, stdout: `stopped: ${dataDir}\n` });
    expect(await owner.ended).toEqual({ code: 0, signal: null });
    expect(processesOf(dataDir)).toEqual([]);
  });

  test("five who need a stack at the same moment share one, which ends by itself when nobody uses it", async () => {
    const dataDir = await emptyDirectory();
    const config = {
      ...readConfig({ data: dataDir, idleStop: "2" }),
      databaseUrl: undefined,
      temporalAddress: undefined,
    };

    const stacks = await Promise.all([1, 2, 3, 4, 5].map(() => attachOrStart(config)));

    expect(new Set(stacks.map(({ supervisor }) => supervisor.pid)).size).toBe(1);
    await eventually(async () => (await liveStack(dataDir)) === undefined);
    expect(await eventually(() => processesOf(dataDir).length === 0)).toBe(true);
  });

  test("a port that was asked for and is taken is refused, with a way out", async () => {
    const dataDir = await emptyDirectory();
    const { gateway: port } = await choosePorts(dataDir, {});
    const intruder = createServer().listen(port, "127.0.0.1");
    onTestFinished(() => void intruder.close());

    const refused = helixrun(["up", "--data", dataDir, "--port", String(port)]);

    expect((await refused.ended).code).toBe(1);
    expect(refused.stderr()).toBe(
      `helixrun: port ${port}, asked for gateway, is in use. Fix: ask for another, or leave it out and a free one is taken.\n`,
    );
    expect(processesOf(dataDir)).toEqual([]);
  });
});
