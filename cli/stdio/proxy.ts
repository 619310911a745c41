import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { forward, Message, type Gateway } from "./forward.ts";

export type ProxyDeps = {
  input: Readable;
  output: Writable;
  /** Where the gateway is now; asked again after each fault, since it may have moved or be started anew. */
  findGateway(): Promise<Gateway>;
};

const patienceMs = 40_000; // a client gives up at 60 s; a stack comes back within seconds
const againAfterMs = 200;

/**
 * A thin stdio-to-HTTP proxy: it knows nothing of tools. The gateway keeps no sessions, so when it restarts a message
 * is simply sent again: the same question is the same run.
 */
export async function runProxy({ input, output, findGateway }: ProxyDeps): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const session = { gateway: findGateway(), protocolVersion: "2025-06-18" };
  session.gateway.catch(() => undefined); // each message finds out for itself
  const write = (line: string) => {
    noteVersion(session, line);
    output.write(`${line}\n`);
  };
  for await (const text of createInterface({ input })) {
    if (text.trim() === "") continue;
    const sent = send(text).catch((error: unknown) => write(failure(text, error)));
    underWay.add(sent);
    void sent.finally(() => underWay.delete(sent));
  }
  await Promise.all(underWay);

  async function send(text: string): Promise<void> {
    const message = Message.parse(JSON.parse(text));
    const until = performance.now() + patienceMs;
    for (;;) {
      try {
        return await forward(await session.gateway, { text, message, protocolVersion: session.protocolVersion }, write);
      } catch (error) {
        if (performance.now() > until) throw error;
        await pause(againAfterMs);
        session.gateway = findGateway();
        session.gateway.catch(() => undefined);
      }
    }
  }
}

/** The answer to `initialize` says which version the rest of the conversation speaks. */
function noteVersion(session: { protocolVersion: string }, line: string): void {
  const [, version] = /"protocolVersion"\s*:\s*"(\d{4}-\d{2}-\d{2})"/.exec(line) ?? [];
  if (version !== undefined) session.protocolVersion = version;
}

function failure(text: string, error: unknown): string {
  const message =
    error instanceof SyntaxError
      ? "Parse error"
      : `Helixrun cannot be reached: ${messageOf(error)} Fix: helixrun doctor`;
  const code = error instanceof SyntaxError ? -32700 : -32000;
  return JSON.stringify({ jsonrpc: "2.0", id: idOf(text), error: { code, message } });
}

function idOf(text: string): string | number | null {
  const [, id] = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(text) ?? [];
  return id === undefined ? null : id.startsWith('"') ? id.slice(1, -1) : Number(id);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
