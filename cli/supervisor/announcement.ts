import type { FirstCalls } from "../first-call.ts";
import type { ServiceName } from "./service.ts";
import type { Stack } from "./stack-file.ts";

/** The one line of `up --json`. */
export function readyLine(stack: Stack, token: string, calls: FirstCalls | undefined): string {
  const pid = (name: ServiceName) => stack.services[name]?.process?.pid ?? null;
  const pids = {
    supervisor: stack.supervisor.pid,
    postgres: pid("postgres"),
    temporal: pid("temporal"),
    gateway: pid("gateway"),
    worker: pid("worker"),
  };
  const { mcpUrl, apiUrl, temporalUiUrl, dataDir } = stack;
  return JSON.stringify({ ready: true, mcpUrl, apiUrl, temporalUiUrl, token, dataDir, pids, ...calls });
}

export type Words = { node: string; command: string; attached: boolean };

/** What a person sees when the stack serves: where everything is, and what to paste into an MCP client. */
export function readyText(stack: Stack, calls: FirstCalls | undefined, { node, command, attached }: Words): string {
  const lines = [
    "",
    ...(calls ? callLines(calls) : []),
    `  MCP          ${stack.mcpUrl}`,
    `  Temporal UI  ${stack.temporalUiUrl ?? `that of ${stack.temporalAddress}`}`,
    `  data         ${stack.dataDir}`,
    `  inbox        ${stack.inboxDir}   (put files here to import them)`,
    "",
    "  Client configuration (stdio; starts the stack by itself when it is down):",
    indented(clientConfiguration(stack.dataDir, node, command)),
    "",
    attached
      ? "  The stack belongs to another helixrun: Ctrl-C leaves it running, `npx helixrun down` stops it."
      : "  Ctrl-C stops everything; the data stays. Elsewhere: `npx helixrun down`.",
  ];
  return lines.join("\n");
}

export const clientConfiguration = (dataDir: string, node: string, command: string): string =>
  JSON.stringify({ mcpServers: { helixrun: { command: node, args: [command, "mcp", "--data", dataDir] } } }, null, 2);

const callLines = ({ firstRun, replay }: FirstCalls): string[] => [
  `  first call   ${firstRun.run_id} ${firstRun.status}`,
  `  once more    ${replay.run_id} ${replay.status}${replay.replayed ? ", replayed: the same run, nothing was executed again" : ""}`,
  "",
];

const indented = (text: string): string => text.replaceAll(/^/gm, "    ");
