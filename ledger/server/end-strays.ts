import { readdir, readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Ends every process of an earlier server on this cluster. A postmaster killed with -9 leaves backends that make the next start
 * refuse for 20 s and more. Each backend leads a session of its own, so the postmaster's process group does not hold them:
 * they are known by their working directory, which is the cluster, and by the program they run.
 */
export async function endStrays(cluster: string): Promise<void> {
  const signals: NodeJS.Signals[] = ["SIGQUIT", "SIGKILL"]; // QUIT: leave at once, without a checkpoint
  for (const signal of signals) {
    for (const pid of await straysOf(cluster)) sendTo(pid, signal);
    if (await allGoneWithin(cluster, 3000)) return rm(join(cluster, "postmaster.pid"), { force: true });
  }
  const left = await straysOf(cluster);
  throw new Error(
    `processes of an earlier PostgreSQL on ${cluster} do not end: ${left.join(", ")}. Fix: end them (kill -9), then start again.`,
  );
}

async function allGoneWithin(cluster: string, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while ((await straysOf(cluster)).length > 0) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

/** The ids of processes that run PostgreSQL on this cluster (Linux; elsewhere PostgreSQL's own check has to do). */
export async function straysOf(cluster: string): Promise<number[]> {
  const directory = await realpath(cluster).catch(() => cluster);
  const entries = await readdir("/proc").catch((): string[] => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  const checked = await Promise.all(pids.map(async (pid) => ((await runsOn(pid, directory)) ? [pid] : [])));
  return checked.flat();
}

async function runsOn(pid: number, directory: string): Promise<boolean> {
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (cwd !== directory) return false;
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return name.trim() === "postgres";
}

function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone in the meantime
  }
}
