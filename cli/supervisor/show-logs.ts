import { open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { lastLines, logFileOf } from "./log-file.ts";

export type ShowLogs = {
  dataDir: string;
  names: readonly string[];
  lines: number;
  follow: boolean;
  write(line: string): void;
};

/** Prints the end of each log, and with `follow` whatever is added; each line carries its log's name where there are several. */
export async function showLogs({ dataDir, names, lines, follow, write }: ShowLogs): Promise<void> {
  const tails = names.map((name) => ({
    file: logFileOf(dataDir, name),
    prefix: names.length > 1 ? `${name.padEnd(10)} | ` : "",
    seen: 0,
  }));
  for (const tail of tails) {
    tail.seen = await sizeOf(tail.file);
    if (lines > 0) for (const line of await lastLines(tail.file, lines)) write(tail.prefix + line);
  }
  if (follow) await keepShowing(tails, write);
}

async function keepShowing(tails: Tail[], write: (line: string) => void): Promise<never> {
  for (;;) {
    await sleep(250);
    for (const tail of tails) await showNew(tail, write);
  }
}

type Tail = { file: string; prefix: string; seen: number };

async function showNew(tail: Tail, write: (line: string) => void): Promise<void> {
  const size = await sizeOf(tail.file);
  if (size < tail.seen) tail.seen = 0; // rotated
  if (size === tail.seen) return;
  const text = await textBetween(tail.file, tail.seen, size);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  tail.seen += Buffer.byteLength(whole);
  for (const line of whole.split("\n").slice(0, -1)) write(tail.prefix + line);
}

async function textBetween(file: string, from: number, to: number): Promise<string> {
  await using handle = await open(file, "r");
  const { buffer } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
  return buffer.toString("utf8");
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );
