import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildArguments } from "../../../temporal/server/build.ts";
import { cached, cachedExecutable } from "../../../temporal/server/cached.ts";
import { devServerArguments } from "../../../temporal/server/dev-server.ts";
import { archiveUrl } from "../../../temporal/server/download.ts";
import { intoCache } from "../../../temporal/server/into-cache.ts";
import { onPath } from "../../../temporal/server/on-path.ts";
import { resolveTemporal, ways } from "../../../temporal/server/resolve.ts";
import { isNewEnough, versionIn } from "../../../temporal/server/version.ts";
import type { Way, WayContext } from "../../../temporal/server/way.ts";

type House = { context: WayContext; bin: string; said: string[] };

async function house(address?: string): Promise<House> {
  const root = await mkdtemp(join(tmpdir(), "helixrun-resolve-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const bin = join(root, "bin");
  const said: string[] = [];
  const context = {
    address,
    searchPath: `${bin}:relative/is/ignored`,
    cacheDir: join(root, "cache"),
    say: (line: string) => void said.push(line),
    progress: () => undefined,
    tie: (command: string[]) => command,
    signal: new AbortController().signal,
  };
  return { context, bin, said };
}

async function program(file: string, body: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${body}\n`);
  await chmod(file, 0o755);
}

const answering = (cli: string, server: string) => `echo "temporal version ${cli} (Server ${server}, UI 2.50.1)"`;

const fails = (name: string, slow: boolean): Way => ({
  name,
  slow,
  find: async () => ({ missed: "refused", fix: `mend ${name}` }),
});

describe("finding a Temporal server", () => {
  test("the ways are tried in their order, those that take time last", () => {
    expect(ways.map(({ name }) => name)).toEqual([
      "TEMPORAL_ADDRESS",
      "temporal on PATH",
      "our cache",
      "download from temporal.download",
      "build from Go modules",
    ]);
  });

  test("an address wins over a program on PATH, and that over the cache", async () => {
    const { context, bin } = await house();
    await program(join(bin, "temporal"), answering("1.7.0", "1.30.0"));
    await program(cachedExecutable(context.cacheDir), answering("1.8.2", "1.31.2"));

    expect(await resolveTemporal({ ...context, address: "example.org:7233" })).toMatchObject({
      way: "TEMPORAL_ADDRESS",
    });
    expect(await resolveTemporal(context)).toMatchObject({ way: "temporal on PATH", where: join(bin, "temporal") });
    expect(await resolveTemporal({ ...context, searchPath: "" })).toMatchObject({
      way: "our cache",
      where: cachedExecutable(context.cacheDir),
    });
  });

  test.each([
    { what: "one that is too old", body: answering("1.4.1", "1.28.0"), why: /too old/ },
    { what: "another program of that name", body: "echo hello", why: /does not answer/ },
    { what: "one that fails", body: "exit 1", why: /does not answer/ },
  ])("on PATH, $what is passed over", async ({ body, why }) => {
    const { context, bin } = await house();
    await program(join(bin, "temporal"), body);

    expect(JSON.stringify(await onPath.find(context))).toMatch(why);
  });

  test("a file in the cache that does not run is passed over", async () => {
    const { context } = await house();
    await mkdir(dirname(cachedExecutable(context.cacheDir)), { recursive: true });
    await writeFile(cachedExecutable(context.cacheDir), "half a program");

    expect(await cached.find(context)).not.toMatchObject({ where: cachedExecutable(context.cacheDir) });
  });

  test("when no way is left, the error lists each with its reason and fix", async () => {
    const { context, said } = await house();

    const refused = resolveTemporal(context, [fails("first", false), fails("second", true)]);

    await expect(refused).rejects.toThrow(/first: refused\. Fix: mend first\.\n.*second: refused\. Fix: mend second\./);
    expect(said).toEqual(["Temporal: second: refused"]);
  });

  test("what was cut short or does not run never reaches the cache", async () => {
    const { context } = await house();

    const made = intoCache(context.cacheDir, (directory) => program(join(directory, "temporal"), "exit 1"));

    await expect(made).rejects.toThrow(/does not run/);
    expect(await cached.find(context)).not.toMatchObject({ where: cachedExecutable(context.cacheDir) });
  });

  test("the build is one go command with our own go.mod, tied to the caller's life", async () => {
    const { context, bin } = await house();
    // A stand-in for go that leaves another program where -o points.
    await program(join(bin, "built"), answering("1.8.2", "1.31.2"));
    await program(join(bin, "go"), `while [ "$1" != "-o" ]; do shift; done; cp ${join(bin, "built")} "$2"`);
    const tied: string[][] = [];
    const tie = (command: string[]) => command.slice(0, tied.push(command) * command.length);

    const found = await resolveTemporal({ ...context, searchPath: `${bin}:/usr/bin:/bin`, tie }, [
      ways[4] ?? fails("build", true),
    ]);

    expect(found).toMatchObject({
      way: "build from Go modules",
      server: { executable: cachedExecutable(context.cacheDir) },
    });
    expect(tied[0]?.slice(0, 2)).toEqual([join(bin, "go"), "build"]);
  });
});

test.each([
  {
    text: "temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)",
    version: { cli: "1.8.2", server: "1.31.2" },
    enough: true,
  },
  {
    text: "temporal version 1.5.0 (Server 1.29.0, UI 2.41.0)",
    version: { cli: "1.5.0", server: "1.29.0" },
    enough: true,
  },
  {
    text: "temporal version 1.4.1 (Server 1.28.0, UI 2.39.0)",
    version: { cli: "1.4.1", server: "1.28.0" },
    enough: false,
  },
  {
    text: "temporal version 0.0.0-DEV (Server 1.31.2, UI 2.50.1)",
    version: { cli: "0.0.0-DEV", server: "1.31.2" },
    enough: true,
  },
  {
    text: "temporal version 0.0.0-DEV (Server 1.27.0, UI 2.30.0)",
    version: { cli: "0.0.0-DEV", server: "1.27.0" },
    enough: false,
  },
])("'$text' is read, and new enough: $enough", ({ text, version, enough }) => {
  expect(versionIn(text)).toEqual(version);
  expect(isNewEnough(version)).toBe(enough);
});

test("the downloaded archive is the one of this platform", () => {
  expect(archiveUrl("linux", "x64")).toBe("https://temporal.download/cli/archive/v1.8.2?platform=linux&arch=amd64");
  expect(archiveUrl("darwin", "arm64")).toBe("https://temporal.download/cli/archive/v1.8.2?platform=darwin&arch=arm64");
});

test("the build carries its version", () => {
  expect(buildArguments("/out")).toContain("-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=1.8.2");
});

test("the dev server polls without the delay of its default, and registers our search attributes", () => {
  const args = devServerArguments({ dbFile: "/d/1.31.2.db", port: 1, uiPort: 2 });

  expect(args).toEqual(
    expect.arrayContaining(["history.transferProcessorMaxPollRPS=10000", "history.timerProcessorMaxPollRPS=10000"]),
  );
  expect(args.filter((arg) => arg.endsWith("=Keyword"))).toHaveLength(5);
});
