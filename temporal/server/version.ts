import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { gte } from "semver";

const run = promisify(execFile);

export type TemporalVersion = { cli: string; server: string };

/** What we fetch or build ourselves. */
export const ownVersion = "1.8.2";

const leastCli = "1.5.0";
const leastServer = "1.29.0"; // the server inside CLI 1.5.0

/** Reads `temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)`; undefined for anything else. */
export function versionIn(text: string): TemporalVersion | undefined {
  const match = /^temporal version (\S+) \(Server (\d+\.\d+\.\d+)/m.exec(text);
  return match?.[1] && match[2] ? { cli: match[1], server: match[2] } : undefined;
}

/** A build from source calls itself 0.0.0-DEV: then the server inside decides. */
export function isNewEnough({ cli, server }: TemporalVersion): boolean {
  return cli === "0.0.0-DEV" ? gte(server, leastServer) : gte(cli, leastCli);
}

/** Asks the program itself: also the proof that a cached or downloaded file is whole and runs on this machine. */
export async function askVersion(executable: string): Promise<TemporalVersion | undefined> {
  const answer = await run(executable, ["--version"], { timeout: 10_000 }).catch(() => undefined);
  return answer && versionIn(answer.stdout);
}
