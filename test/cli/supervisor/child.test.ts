import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Child, keepRunning } from "../../../cli/supervisor/child.ts";
import { lastLines } from "../../../cli/supervisor/log-file.ts";
import { isRunning } from "../../../cli/supervisor/process-identity.ts";
import type { Service } from "../../../cli/supervisor/service.ts";
import { eventually } from "../kit.ts";

async function kept(script: string, change: Partial<Service> = {}): Promise<Child & { said: string[] }> {
  const directory = await mkdtemp(join(tmpdir(), "helixrun-child-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const said: string[] = [];
  const service: Service = {
    name: "worker",
    command: ["/bin/sh", "-c", script],
    deathSignal: "KILL",
    stopSignal: "SIGTERM",
    talks: false,
    readyWithin: 5000,
    ready: async () => undefined,
    ...change,
  };
  const deps = { log: join(directory, "x.log"), setpriv: "/usr/bin/setpriv", changed: () => undefined };
  const child = keepRunning(service, { ...deps, say: (line) => void said.push(line) });
  onTestFinished(() => child.stop(1000));
  return { ...child, said };
}

const never = () => new Promise<never>(() => undefined);

test("a service that keeps ending before it serves is given up, with its log and the end of it", async () => {
  const child = await kept("echo the cause of it all; exit 3", { ready: never });

  await expect(child.firstReady).rejects.toThrow(
    /worker does not start: exit code 3\n {2}log: .*x\.log\n(.*\n)*.*the cause of it all/,
  );
});

test("a service that lives but does not serve is given up at its deadline", async () => {
  const child = await kept("echo thinking; exec sleep 60", { ready: never, readyWithin: 200 });

  await expect(child.firstReady).rejects.toThrow(/waiting for worker took longer than 0\.2 s\n(.*\n)*.*thinking/);
});

test("a service that does not listen is killed when its time to stop is over", async () => {
  const child = await kept("trap '' TERM; echo deaf; while :; do sleep 0.05; done");
  await eventually(async () => (await lastLines(child.log, 1)).includes("deaf"));
  const before = child.identity();

  await child.stop(200);

  expect(before && isRunning(before)).toBe(false);
  expect(child.said.at(-1)).toContain("did not end within 0.2 s: killed");
});

test("a service that ended is started again under another process id", async () => {
  const child = await kept("exec sleep 60");
  await child.firstReady;
  const before = child.identity();

  child.signal("SIGKILL");
  await eventually(() => child.restarts() === 1 && child.state() === "ready");

  expect(child.identity()?.pid).not.toBe(before?.pid);
  expect(child.said).toEqual(["worker ended (SIGKILL), starting it again in 100 ms"]);
});
