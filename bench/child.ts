import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A helper process of the bench: it tells when it is ready, and ends when it is disposed of or we are gone. */
export type Child = AsyncDisposable & { pid: number; hello: unknown; ask(message: object): Promise<unknown> };

const readyWithinMs = 30_000;

export async function startChild(script: URL, args: string[] = []): Promise<Child> {
  const child = fork(fileURLToPath(script), args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(child, "exit");
  const next = async (withinMs: number): Promise<unknown> => {
    const signal = AbortSignal.timeout(withinMs);
    const failed = ended.then(() => Promise.reject(new Error(`${script.pathname} has ended`)));
    const message: unknown[] = await Promise.race([once(child, "message", { signal }), failed]);
    return message[0];
  };
  const hello = await next(readyWithinMs);
  return {
    pid: child.pid ?? 0,
    hello,
    ask(message) {
      const answer = next(120_000);
      child.send(message);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await ended;
    },
  };
}
