import { openSync, renameSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

const rotateAbove = 10 * 1024 * 1024;

export const logFileOf = (dataDir: string, name: string): string => join(dataDir, "logs", `${name}.log`);

/** Opens a log for appending; a big one becomes `<name>.log.1` first. */
export function openLog(file: string): number {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > rotateAbove) renameSync(file, `${file}.1`);
  return openSync(file, "a", 0o600);
}

/** The last lines of a log, read from its end. */
export async function lastLines(file: string, count: number): Promise<string[]> {
  const handle = await open(file, "r").catch(() => undefined);
  if (!handle) return [];
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, 64 * 1024 + count * 256);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8").replace(/\n$/, "").split("\n").slice(-count);
  } finally {
    await handle.close();
  }
}

/** An error message with the log's name and its end, so that nobody has to look for the cause. */
export async function withLog(message: string, file: string): Promise<string> {
  const lines = await lastLines(file, 15);
  return [message, `  log: ${file}`, ...lines.map((line) => `  | ${line}`)].join("\n");
}
