import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { createMcpCaller } from "../callers/mcp-caller.ts";
import { succeeded } from "../callers/tools.ts";
import { startChild } from "../child.ts";
import { watchMemory } from "../measure/memory-growth.ts";
import { median } from "../measure/quantile.ts";
import { settledRace } from "../measure/settled-race.ts";
import type { Row } from "../report.ts";
import type { BenchStack } from "../stack.ts";
import type { Copy } from "../yardsticks/bare-copy.ts";

const fileBytes = 2 ** 30;
const rounds = 6; // an even number: each side is first as often as the other
const maxGrowthMb = 64;
// Every read of a socket is a buffer of its own, and V8 looks for those that nobody needs after each 64 MB of them.
const maxSocketGrowthMb = 128;

/** Import of a large file by path, and its download, next to the bare primitives: both sides take turns on the same disk. */
export async function transfers(stack: BenchStack): Promise<Row[]> {
  const inbox = join(stack.dataDir, "inbox");
  const source = join(inbox, "large.bin");
  await mkdir(inbox, { recursive: true });
  await write(source);
  try {
    const { artifactId, rows } = await imports(stack, source);
    return [...rows, ...(await downloads(stack, artifactId, source)), await upload(stack, source)];
  } finally {
    await rm(source);
  }
}

async function imports(stack: BenchStack, source: string): Promise<{ artifactId: string; rows: Row[] }> {
  await using copier = await startChild(new URL("../yardsticks/bare-copy.ts", import.meta.url));
  using memory = watchMemory(stack.pids.gateway);
  const call = createMcpCaller(stack);
  const copy = join(stack.dataDir, "bare-copy.bin");
  let artifactId = "";
  const times = await settledRace(
    { rounds, restMs: 6_000 },
    {
      bare: () => copier.ask({ from: source, to: copy } satisfies Copy),
      run: async () => (artifactId = idIn(succeeded(await call("artifact_import", { path: "large.bin" })))),
    },
    async () => {
      await rm(copy, { force: true });
      await touchFirstBytes(source); // new bytes: a run of its own, not a replay
    },
  );
  await rm(copy);
  const speed = ratioRow("import of 1 GiB by path, p50", "read+sha256+write+fsync", times("run"), times("bare"), 0.85);
  return { artifactId, rows: [speed, memoryRow("while it imports", memory.growthMb())] };
}

async function downloads(stack: BenchStack, artifactId: string, file: string): Promise<Row[]> {
  await using server = await startChild(new URL("../yardsticks/bare-file-server.ts", import.meta.url), [file]);
  using memory = watchMemory(stack.pids.gateway);
  const { port } = z.object({ port: z.int() }).parse(server.hello);
  const authorization = `Bearer ${stack.token}`;
  const times = await settledRace(
    { rounds, restMs: 1_000 },
    {
      bare: () => drained(`http://127.0.0.1:${port}/`, {}),
      run: () => drained(`${stack.apiUrl}/v1/artifacts/${artifactId}/content`, { authorization }),
    },
  );
  return [
    ratioRow("download of 1 GiB, p50", "bare file server", times("run"), times("bare"), 0.7),
    memoryRow("while it serves", memory.growthMb()),
  ];
}

/** In one go, without saying how much will come. */
async function upload(stack: BenchStack, source: string): Promise<Row> {
  await touchFirstBytes(source);
  using memory = watchMemory(stack.pids.gateway);
  const began = performance.now();
  const reply = await fetch(`${stack.apiUrl}/v1/artifacts`, {
    method: "POST",
    headers: { authorization: `Bearer ${stack.token}` },
    body: ReadableStream.from<Uint8Array>(createReadStream(source, { highWaterMark: 1 << 18 })),
    duplex: "half",
  });
  const seconds = (performance.now() - began) / 1000;
  if (reply.status !== 200) throw new Error(`not uploaded: ${await reply.text()}`);
  const row = memoryRow("while it receives an upload", memory.growthMb());
  return { ...row, bar: { atMost: maxSocketGrowthMb }, note: `1 GiB in ${seconds.toFixed(2)} s` };
}

function ratioRow(what: string, yardstick: string, ours: number[], bare: number[], atLeast: number): Row {
  return {
    what,
    measured: shown(ours),
    yardstick: `${yardstick} ${shown(bare)}`,
    figure: median(bare) / median(ours),
    unit: "x",
    bar: { atLeast },
    note: "how fast, as a part of the yardstick's speed",
  };
}

function memoryRow(when: string, growthMb: number): Row {
  return {
    what: `the gateway's memory grows ${when}, RSS`,
    measured: `${growthMb.toFixed(0)} MB`,
    figure: growthMb,
    unit: "MB",
    bar: { atMost: maxGrowthMb },
  };
}

const shown = (times: number[]): string => `${times.map((ms) => (ms / 1000).toFixed(2)).join(", ")} s`;

const idIn = ({ output }: { output: unknown }): string =>
  z.object({ artifact_id: z.string() }).parse(output).artifact_id;

async function drained(url: string, headers: Record<string, string>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  get(url, { headers }, (answer) => {
    let bytes = 0;
    answer.on("data", (part: Buffer) => (bytes += part.length));
    answer.on("end", () => (bytes === fileBytes ? resolve() : reject(new Error(`${answer.statusCode}: ${bytes} B`))));
  }).on("error", reject);
  return promise;
}

async function write(path: string): Promise<void> {
  await using file = await open(path, "w");
  const chunk = randomBytes(1 << 20);
  for (let at = 0; at < fileBytes; at += chunk.length) await file.write(chunk, 0, chunk.length, at);
}

async function touchFirstBytes(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.write(randomBytes(32), 0, 32, 0);
}
