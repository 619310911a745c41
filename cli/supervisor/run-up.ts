import { fileURLToPath } from "node:url";
import { isatty } from "node:tty";
import { complaint, exitCodes, isComplaint, reasonOf } from "../complaint.ts";
import type { Config } from "../config.ts";
import type { FirstCalls } from "../first-call.ts";
import { readyLine, readyText } from "./announcement.ts";
import { prepareDataDirectory } from "./data-directory.ts";
import { untilIdle } from "./idle-stop.ts";
import { joinStack } from "./join.ts";
import { readLocalCredential } from "./local-credential.ts";
import type { Lock } from "./lock.ts";
import { isGoneWithin } from "./process-identity.ts";
import { findPrograms, type Programs } from "./programs.ts";
import { createStack } from "./stack.ts";
import { liveStack, type Stack } from "./stack-file.ts";
import { createTalk, type Talk } from "./talk.ts";
import { within } from "./until.ts";

export type UpOptions = { once: boolean; json: boolean; detached: boolean; firstCall: boolean };

const command = fileURLToPath(new URL("../../infra/bootstrap/helixrun.mjs", import.meta.url));

/** `helixrun up`: owns the stack of the data directory, or attaches to the one that another owns. Returns the exit code. */
export async function runUp(config: Config, options: UpOptions): Promise<number> {
  const talk = createTalk(options.json ? process.stderr : process.stdout);
  const programs = await findPrograms(config.searchPath);
  await prepareDataDirectory(config.dataDir);
  const isJoinable = (stack: Stack) => stack.status === "ready" || (options.detached && stack.status === "starting");
  const joined = await joinStack(config.dataDir, programs.flock, isJoinable, talk.say);
  if (joined.role === "owner") return own(config, options, programs, joined.lock, talk);
  return options.detached ? exitCodes.success : visit(joined.stack, config, options, talk);
}

async function own(config: Config, options: UpOptions, programs: Programs, lock: Lock, talk: Talk): Promise<number> {
  const begun = Date.now();
  talk.say(`helixrun: starting the stack in ${config.dataDir}`);
  const stack = createStack(config, programs, talk);
  const asked = askedToStop();
  process.on("SIGHUP", () => (isatty(0) ? asked.stop("the terminal was closed") : stack.signal("gateway", "SIGHUP")));
  const stopped = asked.promise.then((why) => {
    talk.say(`helixrun: stopping (${why})`);
    return stack.stop();
  });
  const unlessAsked = (error: unknown) => {
    if (!asked.signal.aborted) throw inWords(error);
  };
  try {
    const running = await Promise.race([stack.start().catch(unlessAsked), stopped.then(() => undefined)]);
    if (!running) return exitCodes.success;
    void lock.lost.then(() => asked.stop("the lock on the data directory was lost"));
    if (config.idleStopSeconds)
      void untilIdle(running.apiUrl, config.idleStopSeconds, asked.signal).then(() => asked.stop("idle"));
    await announce(running, options, talk, {
      attached: false,
      launcher: config.launcher,
      seconds: (Date.now() - begun) / 1000,
    });
    if (options.once) asked.stop("--once");
    await stopped;
    return exitCodes.success;
  } finally {
    await stack.stop();
    lock.release();
  }
}

async function visit(stack: Stack, { launcher }: Config, options: UpOptions, talk: Talk): Promise<number> {
  talk.say(`helixrun: attached to the stack of process ${stack.supervisor.pid} in ${stack.dataDir}`);
  await announce(stack, options, talk, { attached: true, launcher, seconds: 0 });
  if (options.once) return exitCodes.success;
  const asked = askedToStop();
  process.on("SIGHUP", () => asked.stop("the terminal was closed"));
  const gone = isGoneWithin(stack.supervisor, Number.POSITIVE_INFINITY, 500).then(() => "the stack has ended");
  talk.say(`helixrun: ${await Promise.race([asked.promise, gone])}`);
  return exitCodes.success;
}

async function announce(
  stack: Stack,
  options: UpOptions,
  talk: Talk,
  how: { attached: boolean; launcher: string; seconds: number },
): Promise<void> {
  const calls = options.firstCall && !options.detached ? await callFirst(stack) : undefined;
  const now = (await liveStack(stack.dataDir)) ?? stack; // a service may have been restarted meanwhile
  const { token } = await readLocalCredential(stack.dataDir);
  if (options.json) process.stdout.write(`${readyLine(now, token, calls)}\n`);
  else talk.say(readyText(now, calls, { node: how.launcher, command, attached: how.attached }));
  if (!how.attached) talk.say(`helixrun: ready in ${how.seconds.toFixed(1)} s`);
}

async function callFirst(stack: Stack): Promise<FirstCalls> {
  const { firstCalls } = await import("../first-call.ts");
  return within(60_000, "the first call", new AbortController().signal, () => firstCalls(stack)).catch(
    (cause: unknown) => {
      throw complaint(`the stack is up, but the first call failed: ${reasonOf(cause)}`, exitCodes.unexpected, cause);
    },
  );
}

// Our own errors say what to do; a fault in the program (a TypeError …) keeps its stack, a complaint its exit code.
const inWords = (error: unknown): unknown =>
  error instanceof Error && error.constructor === Error && !isComplaint(error)
    ? complaint(error.message, exitCodes.unexpected, error)
    : error;

/** The first wish to end counts; asking again changes nothing (npm and the terminal both send SIGINT). */
function askedToStop() {
  const wish = Promise.withResolvers<string>();
  const over = new AbortController();
  const stop = (why: string) => {
    over.abort();
    wish.resolve(why);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop(signal));
  return { promise: wish.promise, signal: over.signal, stop };
}
