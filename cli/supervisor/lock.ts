import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { complaint } from "../complaint.ts";

export type Lock = {
  /** Resolves if the lock is lost before it is released. */
  lost: Promise<void>;
  release(): void;
};

/** Takes the data directory for this process until it ends, in whatever way; undefined when another has it. */
export function takeLock(dataDir: string, flock: string | undefined): Promise<Lock | undefined> {
  return flock ? lockByFlock(flock, join(dataDir, "lock")) : lockByPort(dataDir);
}

const heldByAnother = 75;

// The helper holds the lock and reads from us: when we die, even by SIGKILL, it reads the end and lets go.
function lockByFlock(flock: string, file: string): Promise<Lock | undefined> {
  const args = ["-n", "-E", String(heldByAnother), "--no-fork", file, "/bin/sh", "-c", "echo held; exec cat"];
  const helper = spawn(flock, args, { stdio: ["pipe", "pipe", "pipe"], detached: true, cwd: "/" });
  const lost = Promise.withResolvers<void>();
  let said = "";
  helper.stderr.on("data", (chunk) => (said += chunk));
  helper.stdin.on("error", () => undefined); // it was killed: `lost` says so
  return new Promise((done, failed) => {
    helper.once("error", failed);
    helper.stdout.once("data", () => done({ lost: lost.promise, release: () => helper.stdin.end() }));
    helper.once("close", (code) => {
      if (code === heldByAnother) done(undefined);
      else failed(complaint(`the lock ${file} cannot be taken: ${said.trim() || `flock ended with ${code}`}`));
      lost.resolve();
    });
  });
}

// Where there is no flock (macOS): a listening socket, which the kernel gives to one process and takes back when that ends.
function lockByPort(dataDir: string): Promise<Lock | undefined> {
  const port = 10_000 + (createHash("sha256").update(realpathSync(dataDir)).digest().readUInt32BE() % 10_000);
  const server = createServer((socket) => socket.destroy());
  return new Promise((done, failed) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? done(undefined) : failed(error),
    );
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      server.unref();
      done({ lost: new Promise(() => undefined), release: () => server.close() });
    });
  });
}
