import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { complaint } from "../complaint.ts";
import { readJsonFile, writeJsonFile } from "./json-file.ts";

export const portNames = ["gateway", "postgres", "temporal", "temporalUi"] as const;
export type PortName = (typeof portNames)[number];

export const Ports = z.object({ gateway: z.int(), postgres: z.int(), temporal: z.int(), temporalUi: z.int() });
export type Ports = z.infer<typeof Ports>;

/** Each port as asked for, else as last time if it is still free, else a free one; recorded for the next start. */
export async function choosePorts(
  dataDir: string,
  asked: Partial<Record<PortName, number | undefined>>,
): Promise<Ports> {
  const file = join(dataDir, "ports.json");
  const recorded = (await readJsonFile(file, Ports.partial())) ?? {};
  const chosen = new Map<PortName, number>();
  for (const name of portNames) {
    const taken = new Set([
      ...chosen.values(),
      ...portNames.flatMap((other) => (other === name ? [] : (asked[other] ?? []))),
    ]);
    chosen.set(name, await choose(name, asked[name], recorded[name], taken));
  }
  const ports = Ports.parse(Object.fromEntries(chosen));
  await writeJsonFile(file, ports);
  return ports;
}

async function choose(
  name: PortName,
  asked: number | undefined,
  recorded: number | undefined,
  taken: Set<number>,
): Promise<number> {
  if (asked !== undefined) {
    if (!taken.has(asked) && (await isFree(asked))) return asked;
    throw complaint(
      `port ${asked}, asked for ${name}, is in use. Fix: ask for another, or leave it out and a free one is taken.`,
    );
  }
  if (recorded !== undefined && !taken.has(recorded) && (await isFree(recorded))) return recorded;
  return freePort(taken);
}

// Below the range that outgoing connections are given (32768 and up): what we record is then still free tomorrow.
async function freePort(taken: Set<number>): Promise<number> {
  for (let turn = 0; turn < 200; turn++) {
    const port = randomInt(20_000, 32_000);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw complaint("no free port between 20000 and 32000 was found");
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => done(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => done(true)));
  });
}
