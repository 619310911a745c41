import type { AuthInfo, McpHttpHandler } from "@modelcontextprotocol/server";
import { parseJson } from "../../toolpacks/contract/parse-json.ts";
import { isToolError, type ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../admission/authenticate.ts";
import type { McpRequest } from "../mcp/server.ts";

/** Hands a request to MCP with its caller and its body, parsed losslessly. */
export async function serveMcp(mcp: McpHttpHandler, request: Request, caller: Caller): Promise<Response> {
  if (request.method !== "POST") return mcp.fetch(request, { authInfo: authInfoOf({ caller }) });
  const text = await request.text();
  try {
    return await mcp.fetch(request, { authInfo: authInfoOf({ caller }), parsedBody: parseJson(text) });
  } catch (error) {
    if (!isToolError(error)) throw error;
    return serveUnparsable(mcp, request, caller, text, error);
  }
}

/** The request that an `authInfo` of ours carries through the library. */
export function requestOf(authInfo: unknown): McpRequest {
  const request = typeof authInfo === "object" && authInfo !== null ? carried.get(authInfo) : undefined;
  if (!request) throw new Error("an MCP request came by another way than ours");
  return request;
}

const carried = new WeakMap<object, McpRequest>();

function authInfoOf(request: McpRequest): AuthInfo {
  const authInfo: AuthInfo = { token: "", clientId: request.caller.actor, scopes: [...request.caller.scopes] };
  carried.set(authInfo, request);
  return authInfo;
}

/** JSON, but not what was meant (a number that does not fit, a key twice): the tool call is refused as its envelope would be. */
function serveUnparsable(mcp: McpHttpHandler, request: Request, caller: Caller, text: string, unparsable: ToolError) {
  try {
    const parsedBody: unknown = JSON.parse(text);
    return mcp.fetch(request, { authInfo: authInfoOf({ caller, unparsable }), parsedBody });
  } catch {
    const error = { code: -32700, message: "Parse error", data: { code: unparsable.code, ...unparsable.details } };
    return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
  }
}
