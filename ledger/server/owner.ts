import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The unprivileged account PostgreSQL runs under when we are root. */
export type Owner = { name: string; uid: number; gid: number };

const ownName = "helixrun-postgres";

/** PostgreSQL refuses to run as root: then an account of its own, made here, or one that every system has. Undefined when we are not root. */
export async function databaseOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = (await find(ownName)) ?? (await create(ownName)) ?? (await find("postgres")) ?? (await find("nobody"));
  if (owner) return owner;
  throw new Error(
    `PostgreSQL cannot run as root and no unprivileged account could be made or found. Fix: useradd --system ${ownName}, or start helixrun as a normal user.`,
  );
}

async function find(name: string): Promise<Owner | undefined> {
  const [uid, gid] = await Promise.all([idOf("-u", name), idOf("-g", name)]);
  return uid && gid ? { name, uid, gid } : undefined;
}

async function create(name: string): Promise<Owner | undefined> {
  const options = [
    "--system",
    "--user-group",
    "--no-create-home",
    "--home-dir",
    "/nonexistent",
    "--shell",
    "/usr/sbin/nologin",
  ];
  await run("useradd", [...options, name]).catch(() => undefined); // not there, or another start was faster
  return find(name);
}

async function idOf(which: "-u" | "-g", name: string): Promise<number | undefined> {
  const answer = await run("id", [which, name]).catch(() => undefined);
  return answer ? Number(answer.stdout) : undefined;
}
