import { createMcpHandler, Server, type McpHttpHandler, type Tool } from "@modelcontextprotocol/server";
import { storedErrorOf } from "../../toolpacks/contract/stored-error.ts";
import type { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../admission/authenticate.ts";
import type { Admit } from "../admission/pipeline.ts";
import { answerOf, askedOf } from "../answer.ts";
import type { Doors } from "../doors/doors.ts";
import { envelopeOf, type EnvelopeDefaults } from "./call-tool.ts";
import { replyOf } from "./reply.ts";
import { resourceTemplates, type createResources } from "./resources.ts";
import type { ThumbnailOf } from "./thumbnail.ts";

/** What the HTTP layer found out about a request before MCP sees it. */
export type McpRequest = { caller: Caller; unparsable?: ToolError };

type Deps = {
  admit: Admit;
  doors: Doors;
  toolList(caller: Caller): Tool[];
  resources: ReturnType<typeof createResources>;
  thumbnailOf: ThumbnailOf;
  defaults: EnvelopeDefaults;
  version: string;
  onFault(error: unknown): void;
  /** What this request is; the library hands it through from the HTTP layer. */
  requestOf(authInfo: unknown): McpRequest;
};

const instructions =
  "Every call is a run with a deterministic run_id: asking the same again replays its stored answer. " +
  "Import files with artifact_import, pass artifact ids on, and wait for long runs with run_wait.";

/** Both protocol eras over one factory. It runs per request, hence the low-level server with a ready-made list. */
export function createMcp(deps: Deps): McpHttpHandler {
  return createMcpHandler(
    ({ authInfo }) => {
      const request = deps.requestOf(authInfo);
      // oxlint-disable-next-line typescript/no-deprecated -- meant for cases like this: McpServer registers every tool anew (1.3 for 0.8 ms)
      const server = new Server(
        { name: "helixrun", version: deps.version },
        { capabilities: { tools: {}, resources: {} }, instructions },
      );
      server.setRequestHandler("tools/list", () => ({ tools: deps.toolList(request.caller) }));
      server.setRequestHandler("tools/call", async ({ params }) => {
        const { name, _meta: meta } = params;
        const answered = await answer(deps, request, { name, arguments: params.arguments, meta });
        return replyOf(answered, await deps.thumbnailOf(request.caller, answered));
      });
      server.setRequestHandler("resources/list", async () => ({
        resources: await deps.resources.list(request.caller),
      }));
      server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }));
      server.setRequestHandler("resources/read", ({ params }) => deps.resources.read(request.caller, params.uri));
      return server;
    },
    { onerror: deps.onFault },
  );
}

async function answer(deps: Deps, { caller, unparsable }: McpRequest, call: Parameters<typeof envelopeOf>[2]) {
  if (unparsable) {
    const now = deps.defaults.clock();
    return answerOf(askedOf({ tool_id: call.name }, now), { kind: "error", error: storedErrorOf(unparsable) }, now);
  }
  const opened = deps.doors.open(call.name, caller, call.arguments ?? {});
  return opened ?? deps.admit(caller, envelopeOf(deps.defaults, caller, call));
}
