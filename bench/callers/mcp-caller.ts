import { Agent, request } from "node:http";
import type { Answer } from "../../toolpacks/contract/envelope.ts";

export type Door = { mcpUrl: string; token: string };

/** Calls a tool and gives its structured content. */
export type McpCaller<Content> = (name: string, args: unknown) => Promise<Content>;

const protocolVersion = "2026-07-28";

/** A raw tools/call over keep-alive: the cheapest client that Node has, so that the server is what is measured. */
export function createMcpCaller<Content = Answer>({ mcpUrl, token }: Door): McpCaller<Content> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const { hostname: host, port, pathname: path } = new URL(mcpUrl);
  let id = 0;
  const call: McpCaller<Content> = (name, args) => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: ++id,
      method: "tools/call",
      params: { name, arguments: args, _meta: meta },
    });
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": protocolVersion,
      "mcp-method": "tools/call",
      "mcp-name": name,
    };
    const { promise, resolve, reject } = Promise.withResolvers<Content>();
    const sent = request({ agent, host, port, path, method: "POST", headers, timeout: givesUpAfterMs }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("error", reject).on("end", () => {
        try {
          resolve(contentIn<Content>(text));
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${givesUpAfterMs} ms`)));
    sent.on("error", (error) => (sent.reusedSocket && isReset(error) ? resolve(call(name, args)) : reject(error)));
    sent.end(body);
    return promise;
  };
  return call;
}

/** The server closed an idle connection while we took it up again: any client sends anew. */
const isReset = (error: Error): boolean => "code" in error && error.code === "ECONNRESET";

const givesUpAfterMs = 70_000; // the gateway lets a caller wait 45 s

const meta = {
  "io.modelcontextprotocol/protocolVersion": protocolVersion,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Reply<Content> = { result?: { structuredContent?: Content } };

function contentIn<Content>(text: string): Content {
  const event = /^data: ?(.*)$/m.exec(text)?.[1];
  const parse: (json: string) => Reply<Content> = JSON.parse; // the answer of a server that we started ourselves
  const reply = parse(event ?? text);
  const content = reply.result?.structuredContent;
  if (content === undefined) throw new Error(`not an answer: ${text.slice(0, 300)}`);
  return content;
}
