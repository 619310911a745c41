import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Answer } from "../../toolpacks/contract/envelope.ts";

export type Listed = { name: string; inputSchema: object; outputSchema?: object | undefined };

/** The little that our tests ask of a client, whichever library it is from. */
export type McpClient = AsyncDisposable & {
  protocolVersion(): string | undefined;
  listTools(): Promise<Listed[]>;
  /** The envelope; the library has checked it against the published schema, as far as it does. */
  call(name: string, input: Record<string, unknown>): Promise<Answer>;
  /** The process behind a stdio transport. */
  pid(): number;
};

export type Gateway = { mcpUrl: string; token: string };
export type Command = { command: string; args: string[]; env: Record<string, string> };
export type ClientKind = "v1" | "v2 auto" | "v2 legacy";

const info = { name: "helixrun-test", version: "1" };
const httpOptions = ({ token }: Gateway) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

export function connectHttp(kind: ClientKind, gateway: Gateway): Promise<McpClient> {
  const url = new URL(gateway.mcpUrl);
  if (kind === "v1") return connectOld(new OldHttpTransport(url, httpOptions(gateway)));
  return connectNew(kind, new StreamableHTTPClientTransport(url, httpOptions(gateway)));
}

export async function connectStdio(kind: ClientKind, command: Command): Promise<McpClient> {
  const transport = kind === "v1" ? new OldStdioTransport(command) : new StdioClientTransport(command);
  const client = await (transport instanceof StdioClientTransport
    ? connectNew(kind, transport)
    : connectOld(transport));
  return { ...client, pid: () => transport.pid ?? Number.NaN };
}

async function connectOld(transport: OldHttpTransport | OldStdioTransport): Promise<McpClient> {
  const client = new OldClient(info);
  await client.connect(transport);
  return {
    protocolVersion: () => ("protocolVersion" in transport ? transport.protocolVersion : undefined),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input) => envelopeIn(await client.callTool({ name, arguments: input })),
    pid: () => Number.NaN,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectNew(
  kind: ClientKind,
  transport: StreamableHTTPClientTransport | StdioClientTransport,
): Promise<McpClient> {
  const client = new Client(info, { versionNegotiation: { mode: kind === "v2 auto" ? "auto" : "legacy" } });
  await client.connect(transport);
  return {
    protocolVersion: () => client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input) => envelopeIn(await client.callTool({ name, arguments: input })),
    pid: () => Number.NaN,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const envelopeIn = (result: object): Answer => (result as { structuredContent: Answer }).structuredContent;
