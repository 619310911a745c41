import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import { programOn } from "../../temporal/server/on-path.ts";
import type { Config } from "../config.ts";
import { examineDataDirectory, examinePorts } from "./examine-data.ts";
import { examinePostgres, examineTemporal } from "./examine-servers.ts";
import type { Finding } from "./finding.ts";
import { readJsonFile } from "./json-file.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Looks at everything a start needs, changes nothing. */
export async function examine(config: Config): Promise<Finding[]> {
  const { searchPath } = config;
  const checks: Promise<Finding>[] = [
    node(),
    dependencies(),
    examinePostgres(config),
    examineTemporal(config),
    program("go", searchPath, ["version"], "optional", "https://go.dev/dl; only needed where Temporal has to be built"),
    program("flock", searchPath, ["--version"], onLinux, "your system's package util-linux"),
    program(
      "setpriv",
      searchPath,
      ["--version"],
      onLinux,
      "your system's package util-linux; without it services may outlive a killed supervisor",
    ),
    examineDataDirectory(config.dataDir),
    examinePorts(config),
  ];
  return Promise.all(checks);
}

const onLinux = process.platform === "linux" ? "missing" : "optional";

async function node(): Promise<Finding> {
  const isOurs = process.version.startsWith("v24.");
  return {
    name: "node",
    state: isOurs ? "ok" : "missing",
    found: `${process.version} (${process.execPath})`,
    ...(!isOurs && { fix: "start through npx helixrun or npm start" }),
  };
}

// The bootstrap leaves a stamp with the hash of the lock it installed; whoever runs cli/main.ts by hand goes round it.
async function dependencies(): Promise<Finding> {
  const lock = await readFile(join(root, "package-lock.json")).catch(() => undefined);
  const stamp = await readJsonFile(
    join(root, "node_modules", ".helixrun-installed.json"),
    z.object({ lock: z.string() }),
  );
  const isCurrent = lock !== undefined && stamp?.lock === createHash("sha256").update(lock).digest("hex");
  if (isCurrent) return { name: "npm packages", state: "ok", found: "installed as package-lock.json says" };
  const found = "not known to be what package-lock.json says";
  return {
    name: "npm packages",
    state: "optional",
    found,
    fix: "start through npx helixrun or npm start, which installs them",
  };
}

async function program(
  name: string,
  searchPath: string,
  args: string[],
  absent: Finding["state"],
  fix: string,
): Promise<Finding> {
  const file = await programOn(searchPath, name);
  const answer = file && (await run(file, args, { timeout: 5000 }).catch(() => undefined));
  if (!answer) return { name, state: absent, found: "not on PATH", fix };
  return { name, state: "ok", found: `${answer.stdout.trim().split("\n")[0]} (${file})` };
}
