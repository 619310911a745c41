import { type ChildProcess, spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually, root } from "./kit.ts";

type Clone = { path: string; npmCalls(): Promise<string[]> };

const works = `mkdir -p node_modules/node/bin && ln -sf "${process.execPath}" node_modules/node/bin/node`;

/** A clone with nothing in it but the bootstrap, a lock and a script; npm is a stand-in that writes down how it was called. */
async function clone(npm: string): Promise<Clone> {
  const path = await mkdtemp(join(tmpdir(), "helixrun-clone-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  await cp(join(root, "infra/bootstrap"), join(path, "infra/bootstrap"), { recursive: true });
  await writeFile(
    join(path, "package-lock.json"),
    JSON.stringify({ packages: { "": {}, "node_modules/x": { version: "1.0.0" } } }),
  );
  await writeFile(join(path, "script.ts"), script);
  await mkdir(join(path, "bin"));
  await writeFile(join(path, "bin/npm"), `#!/bin/sh\necho "$@" >> "${path}/npm.log"\n${npm}\n`);
  await chmod(join(path, "bin/npm"), 0o755);
  return {
    path,
    npmCalls: async () => (await readFile(join(path, "npm.log"), "utf8").catch(() => "")).split("\n").filter(Boolean),
  };
}

// Says what it got; `wait` waits for a signal, anything else is the exit code.
const script = `
  const [what, ...rest]: string[] = process.argv.slice(2);
  console.log(JSON.stringify({ pid: process.pid, rest }));
  process.on("SIGTERM", () => { console.log("told to end"); process.exit(7); });
  if (what === "wait") setInterval(() => undefined, 1000);
  else process.exit(Number(what));
`;

type Run = { child: ChildProcess; stdout(): string; stderr(): string; code: Promise<number | null> };

function run({ path }: Clone, ...args: string[]): Run {
  const env = { PATH: `${join(path, "bin")}:/usr/bin:/bin` };
  const child = spawn(process.execPath, [join(path, "infra/bootstrap/run.mjs"), "script.ts", ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  return { child, stdout: () => stdout, stderr: () => stderr, code: new Promise((done) => child.on("close", done)) };
}

test("the first start installs and says so on stderr, the next does not; arguments and exit code pass through", async () => {
  const fresh = await clone(works);

  const first = run(fresh, "5", "a b", "--c");
  expect(await first.code).toBe(5);
  const second = run(fresh, "0");
  expect(await second.code).toBe(0);

  expect(first.stdout()).toMatch(/^\{"pid":\d+,"rest":\["a b","--c"\]\}\n$/);
  expect(first.stderr()).toMatch(/^helixrun: installing dependencies \(npm ci\) … done in [\d.]+ s\n$/);
  expect(second.stderr()).toBe("");
  expect(await fresh.npmCalls()).toHaveLength(1);
});

test("of three first starts at once one installs and all run, even after one died while installing", async () => {
  const fresh = await clone(`sleep 0.3; ${works}`);
  await writeFile(join(fresh.path, "infra/bootstrap/.installing"), "999999999");

  const runs = [run(fresh, "0"), run(fresh, "0"), run(fresh, "0")];

  expect(await Promise.all(runs.map(({ code }) => code))).toEqual([0, 0, 0]);
  expect(await fresh.npmCalls()).toHaveLength(1);
});

test("an install by hand that matches the lock is not done again", async () => {
  const fresh = await clone("exit 1");
  await mkdir(join(fresh.path, "node_modules/node/bin"), { recursive: true });
  await cp(process.execPath, join(fresh.path, "node_modules/node/bin/node"));
  await writeFile(
    join(fresh.path, "node_modules/.package-lock.json"),
    JSON.stringify({ packages: { "node_modules/x": { version: "1.0.0" } } }),
  );

  expect(await run(fresh, "0").code).toBe(0);
  expect(await fresh.npmCalls()).toEqual([]);
});

test("a lock that lacks only what the registry does not know is installed all the same, and left as it is", async () => {
  const fresh = await clone(
    `[ "$1" = ci ] && { echo "npm error Missing: @x/darwin@ from lock file"; exit 1; }\n${works}`,
  );

  expect(await run(fresh, "0").code).toBe(0);

  expect(await fresh.npmCalls()).toEqual([expect.stringMatching(/^ci /), expect.stringMatching(/^install --no-save /)]);
});

test.each([
  {
    said: "npm error Missing: left-pad@1.0.0 from lock file\nnpm error code EUSAGE",
    fix: "run `npm install` and commit the lock",
  },
  { said: "npm error code ENOTFOUND", fix: "check the network" },
  { said: "npm error code EACCES", fix: "writable" },
])("when npm fails with '$said' the way out is told", async ({ said, fix }) => {
  const fresh = await clone(`echo "${said}"; exit 1`);

  const failed = run(fresh, "0");

  expect(await failed.code).toBe(1);
  expect(failed.stderr()).toContain(fix);
  expect(failed.stdout()).toBe("");
});

test("a signal to the bootstrap reaches the script, and a killed bootstrap takes it along", async () => {
  const fresh = await clone(works);
  const asked = run(fresh, "wait");
  await eventually(() => asked.stdout());
  asked.child.kill("SIGTERM");
  expect(await asked.code).toBe(7);

  const killed = run(fresh, "wait");
  await eventually(() => killed.stdout());
  killed.child.kill("SIGKILL");

  expect(await eventually(() => killed.stdout().includes("told to end"))).toBe(true);
});
