import { z } from "zod";
import { parseEvents } from "./parse-events.ts";

export type Gateway = { mcpUrl: string; token: string };

/** What the proxy needs to know of a JSON-RPC message; it is sent on as it was written. */
export const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z
    .looseObject({ name: z.string().optional(), _meta: z.record(z.string(), z.unknown()).optional() })
    .optional(),
});
export type Message = z.infer<typeof Message>;

/** Sends one JSON-RPC message as an HTTP request and hands on what comes back, line by line, as it comes. */
export async function forward(
  { mcpUrl, token }: Gateway,
  { text, message, protocolVersion }: { text: string; message: Message; protocolVersion: string },
  write: (line: string) => void,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, ...headersOf(message, protocolVersion) };
  const response = await fetch(mcpUrl, { method: "POST", body: text, headers });
  if (response.headers.get("content-type")?.includes("text/event-stream") && response.body) {
    for await (const event of parseEvents(response.body)) {
      write(event);
      if (isAnswerTo(message, event)) return; // whatever breaks now, it must not be asked again
    }
    if (message.id !== undefined) throw new Error("The gateway left without an answer.");
    return;
  }
  const body = await response.text();
  if (message.id !== undefined) write(answerIn(body, message.id, response.status));
}

function isAnswerTo({ id }: Message, event: string): boolean {
  const said = Message.parse(JSON.parse(event));
  return id !== undefined && said.id === id && said.method === undefined;
}

const Reply = z.looseObject({ jsonrpc: z.literal("2.0") });
const Refusal = z.object({ error: z.looseObject({ message: z.string() }) });

/** The answer on one line, whatever its form. What is refused before MCP sees it (a body too large) is an error of the request. */
function answerIn(body: string, id: string | number, status: number): string {
  const reply = Reply.safeParse(jsonIn(body));
  if (reply.success) return JSON.stringify(reply.data);
  const refusal = Refusal.safeParse(jsonIn(body));
  const data = refusal.data?.error;
  const message = data?.message ?? `The gateway answered ${status}: ${body}`;
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message, data } });
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const versionKey = "io.modelcontextprotocol/protocolVersion";

/** Each message of the newer protocol says its version, method and name in headers too; the older has one version for all. */
function headersOf({ method, params }: Message, protocolVersion: string): Record<string, string> {
  const own = params?._meta?.[versionKey];
  const common = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  if (typeof own !== "string") return { ...common, "mcp-protocol-version": protocolVersion };
  return {
    ...common,
    "mcp-protocol-version": own,
    ...(method !== undefined && { "mcp-method": method }),
    ...(params?.name !== undefined && { "mcp-name": params.name }),
  };
}
