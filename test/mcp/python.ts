import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { readConfig } from "../../cli/config.ts";

const run = promisify(execFile);
const requirement = "mcp==2.3.0";

export type Python = { found: true; interpreter: string } | { found: false; why: string };

/** A Python that has the official `mcp` client, in an environment of its own in our cache; made on the first run. */
export async function pythonWithMcp(): Promise<Python> {
  const home = join(readConfig().cacheDir, "python", requirement);
  const interpreter = join(home, "bin", "python");
  try {
    if (!existsSync(interpreter)) await makeEnvironment(home);
    return { found: true, interpreter };
  } catch (error) {
    return { found: false, why: reasonIn(error) };
  }
}

/** An environment knows its own path, so it is made in place; one that was cut short has no interpreter under its last name. */
async function makeEnvironment(home: string): Promise<void> {
  const unfinished = join(home, "bin", "python.unfinished");
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  await run("python3", ["-m", "venv", home]);
  await rename(join(home, "bin", "python"), unfinished);
  await run(unfinished, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement], {
    timeout: 110_000,
  });
  await rename(unfinished, join(home, "bin", "python"));
}

function reasonIn(error: unknown): string {
  const text = error instanceof Error && "stderr" in error && error.stderr ? String(error.stderr) : String(error);
  return text.trim().split("\n").at(-1) ?? "";
}
