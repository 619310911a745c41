import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CallResponse, PendingResponse, type Answer } from "../toolpacks/contract/envelope.ts";
import { complaint, exitCodes } from "./complaint.ts";

export type ToolCall = { name: string; arguments: unknown; meta?: Record<string, unknown> };

export type Gateway = { mcpUrl: string; token: string; fetch?(url: string, init: RequestInit): Promise<Response> };

const protocolVersion = "2026-07-28";
const Reply = z.object({ result: z.object({ structuredContent: z.union([CallResponse, PendingResponse]) }) });
const givesUpAfterMs = 60_000;

/** One tools/call over MCP's HTTP transport, stateless, as any client of today's protocol sends it; answers the envelope. */
export async function postToolCall(gateway: Gateway, call: ToolCall): Promise<Answer> {
  const { status, text } = await post(gateway, call).catch(unreachable);
  const reply = Reply.safeParse(parsed(text));
  if (reply.success) return reply.data.result.structuredContent;
  throw complaint(`the gateway did not answer the call (${status}): ${text}`);
}

async function post(gateway: Gateway, call: ToolCall): Promise<{ status: number; text: string }> {
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
  return { status: response.status, text: await response.text() };
}

/** The connection was refused, broke or took too long: nothing is known of the call, and the same one may be sent again. */
function unreachable(error: unknown): never {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const words = cause instanceof Error ? cause.message : String(cause);
  throw complaint(
    `the gateway cannot be reached: ${words}. Fix: call again; helixrun status says how it is.`,
    exitCodes.retryable,
    error,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
