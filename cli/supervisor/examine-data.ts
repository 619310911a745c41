import { access, constants, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Config } from "../config.ts";
import type { Finding } from "./finding.ts";
import { isFree, portNames } from "./ports.ts";
import { liveStack } from "./stack-file.ts";

const enoughSpace = 2 * 1024 ** 3;

export async function examineDataDirectory(dataDir: string): Promise<Finding> {
  const existing = await nearest(dataDir);
  const isWritable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  const { bavail, bsize } = await statfs(existing);
  const free = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GB free`;
  if (!isWritable)
    return {
      name: "data directory",
      state: "missing",
      found: `${dataDir} is not writable`,
      fix: "--data DIR or HELIXRUN_DATA",
    };
  if (bavail * bsize < enoughSpace)
    return {
      name: "data directory",
      state: "missing",
      found: `${dataDir}: ${free}`,
      fix: "free 2 GB or choose another by --data",
    };
  return { name: "data directory", state: "ok", found: `${dataDir}, ${free}` };
}

async function nearest(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}

export async function examinePorts(config: Config): Promise<Finding> {
  const stack = await liveStack(config.dataDir);
  if (stack)
    return {
      name: "ports",
      state: "ok",
      found: `in use by the running stack: ${Object.values(stack.ports).join(", ")}`,
    };
  const asked = portNames.flatMap((name) => config.ports[name] ?? []);
  const busy = (await Promise.all(asked.map(async (port) => ((await isFree(port)) ? [] : [port])))).flat();
  if (busy.length > 0)
    return {
      name: "ports",
      state: "missing",
      found: `in use: ${busy.join(", ")}`,
      fix: "ask for others, or leave them out and free ones are taken",
    };
  return {
    name: "ports",
    state: "ok",
    found: asked.length > 0 ? `${asked.join(", ")} are free` : "free ones are taken at the start",
  };
}
