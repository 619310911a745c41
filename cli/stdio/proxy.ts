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
  session.gateway.catch(() => undefined);
  const write = (line: string) => {
    noteVersion(session, line);
    output.write(`${line}\n`);
  };
  for await (const text of createInterface({ input })) {
    if (text.trim() === "") continue;
    const sent = handle(text);
    underWay.add(sent);
    void sent.finally(() => underWay.delete(sent));
  }
  await Promise.all(underWay);

  function lookAgain(): void {
    session.gateway = findGateway();
    session.gateway.catch(() => undefined); // each message finds out for itself
  }

  async function handle(text: string): Promise<void> {
    const message = messageIn(text);
    if (!message) return write(errorLine(null, -32700, "Parse error"));
    try {
      await send(text, message);
    } catch (error) {
      const words = `Helixrun cannot be reached: ${messageOf(error)} Fix: helixrun doctor`;
      if (message.id !== undefined) write(errorLine(message.id, -32000, words)); // a notification has no answer
    }
  }

  async function send(text: string, message: Message): Promise<void> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const { gateway, protocolVersion } = session;
      try {
        return await forward(await gateway, { text, message, protocolVersion }, write);
      } catch (error) {
        if (performance.now() > until) throw error;
        await pause(againAfterMs);
        if (session.gateway === gateway) lookAgain(); // of all that broke at once, one looks for the gateway, or starts it
      }
    }
  }
}

/** The answer to `initialize` says which version the rest of the conversation speaks. */
function noteVersion(session: { protocolVersion: string }, line: string): void {
  const [, version] = /"protocolVersion"\s*:\s*"(\d{4}-\d{2}-\d{2})"/.exec(line) ?? [];
  if (version !== undefined) session.protocolVersion = version;
}

function messageIn(text: string): Message | undefined {
  try {
    return Message.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function errorLine(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
