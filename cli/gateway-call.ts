import type { Answer } from "../toolpacks/contract/envelope.ts";
import { harmless } from "../toolpacks/contract/harmless-text.ts";
import { complaint, exitCodes } from "./complaint.ts";

export type CallOptions = { data?: string; project: string };
export type Call = { name: string; arguments: unknown; meta?: Record<string, unknown> };

/** One call through the stack of the data directory, started if it does not run. */
export async function callGateway({ project, ...flags }: CallOptions, call: Call): Promise<Answer> {
  const { readConfig } = await import("./config.ts");
  const { attachOrStart } = await import("./supervisor/attach-or-start.ts");
  const { credentialOf } = await import("./credential-of.ts");
  const { postToolCall } = await import("./mcp-post.ts");
  const config = { ...readConfig(flags), idleStopSeconds: 600 };
  const { mcpUrl } = await attachOrStart(config);
  return postToolCall({ mcpUrl, token: await credentialOf(config.dataDir, project) }, call);
}

/** The output of a call that must succeed; anything else ends the command with its code and what to do. */
export async function outputOf(options: CallOptions, call: Call): Promise<unknown> {
  const answer = await callGateway(options, call);
  if (answer.status === "success") return answer.output;
  throw complaint(textOf(answer), exitCodeOf(answer));
}

/** Prints what a call that must succeed has answered: one document, or what `asText` makes of it for people. */
export async function showOutput(
  options: CallOptions & { json: boolean },
  call: Call,
  asText: (output: unknown) => string,
): Promise<void> {
  const output = await outputOf(options, call);
  process.stdout.write(`${options.json ? JSON.stringify(output) : harmless(asText(output))}\n`);
}

/** An answer for people. */
export function textOf(answer: Answer): string {
  const run = `run ${answer.run_id ?? "none"}`;
  if (answer.status === "pending") return `${run}: still ${answer.state}\n${answer.next}`;
  if (answer.status === "success")
    return `${run}: success${answer.provenance.replayed ? ", replayed" : ""}\n${JSON.stringify(answer.output, null, 2)}`;
  const { code, message, details } = answer.error;
  return `${run}: ${answer.status} ${code}: ${message}\n${JSON.stringify(details, null, 2)}`;
}

const exitCodeOfStatus = {
  success: exitCodes.success,
  invalid_request: exitCodes.invalidRequest,
  retryable_error: exitCodes.retryable,
  terminal_error: exitCodes.terminal,
  pending: exitCodes.pending,
} satisfies Record<Answer["status"], number>;

export function exitCodeOf({ status }: Answer): number {
  return exitCodeOfStatus[status];
}
