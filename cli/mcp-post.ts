import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CallResponse, PendingResponse, type Answer } from "../toolpacks/contract/envelope.ts";
import { complaint } from "./complaint.ts";

export type ToolCall = { name: string; arguments: unknown; meta?: Record<string, unknown> };

export type Gateway = { mcpUrl: string; token: string; fetch?(url: string, init: RequestInit): Promise<Response> };

const protocolVersion = "2026-07-28";
const Reply = z.object({ result: z.object({ structuredContent: z.union([CallResponse, PendingResponse]) }) });
const givesUpAfterMs = 60_000;

/** One tools/call over MCP's HTTP transport, stateless, as any client of today's protocol sends it; answers the envelope. */
export async function postToolCall(gateway: Gateway, call: ToolCall): Promise<Answer> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": protocolVersion,
    "io.modelcontextprotocol/clientInfo": { name: "helixrun-cli", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    ...call.meta,
  };
  const params = { name: call.name, arguments: call.arguments, _meta };
  const response = await (gateway.fetch ?? fetch)(gateway.mcpUrl, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: randomUUID(), method: "tools/call", params }),
    signal: AbortSignal.timeout(givesUpAfterMs),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${gateway.token}`,
      "mcp-protocol-version": protocolVersion,
      "mcp-method": "tools/call",
      "mcp-name": call.name,
    },
  });
  const text = await response.text();
  const reply = Reply.safeParse(parsed(text));
  if (reply.success) return reply.data.result.structuredContent;
  throw complaint(`the gateway did not answer the call (${response.status}): ${text}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
