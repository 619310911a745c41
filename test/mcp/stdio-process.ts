import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { eventually, root } from "../cli/kit.ts";
import type { Command } from "./clients.ts";

/** How a client is told to start `helixrun mcp`, with an environment in which nothing of the tests shows. */
export function mcpCommand(dataDir: string): Command {
  const { PATH = "", HOME = "", HELIXRUN_CACHE } = process.env;
  const env = { PATH, HOME, ...(HELIXRUN_CACHE !== undefined && { HELIXRUN_CACHE }) };
  return { command: process.execPath, args: [join(root, "cli/main.ts"), "mcp", "--data", dataDir], env };
}

export type StdioProcess = {
  process: ChildProcess;
  send(line: string): void;
  /** The lines on its standard output so far, each of which must be a message. */
  messages(): Message[];
  answerTo(id: number | string | null): Promise<Message>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

export type Message = {
  jsonrpc: "2.0";
  id?: number | string | null;
  method?: string;
  result?: { structuredContent?: Record<string, unknown>; [other: string]: unknown };
  error?: { code: number; message: string; data?: unknown };
};

/** `helixrun mcp` without a client library: what it writes is seen byte by byte. */
export function startMcp(dataDir: string): StdioProcess {
  const { command, args, env } = mcpCommand(dataDir);
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const messages = () =>
    output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  return {
    process: child,
    send: (line) => child.stdin.write(`${line}\n`),
    messages,
    answerTo: (id) => eventually(() => messages().find((message) => message.id === id && message.method === undefined)),
    ended: new Promise((done) => child.on("close", (code, signal) => done({ code, signal }))),
  };
}

export const request = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ method, params, jsonrpc: "2.0", id });

export const initialise = (id: number): string =>
  request(id, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "by hand", version: "1" },
  });
