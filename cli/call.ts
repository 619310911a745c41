import type { Command } from "commander";
import type { Answer } from "../toolpacks/contract/envelope.ts";
import { exitCodes } from "./complaint.ts";
import { dataOption, jsonOption } from "./options.ts";

/** `helixrun call` */
export function registerCall(program: Command): void {
  jsonOption(dataOption(program.command("call")))
    .description("call a tool: TOOL and its input as JSON")
    .argument("<tool>")
    .argument("[input]", "JSON object, or - to read it from standard input", "{}")
    .option("--project <project>", "the project to work in", "default")
    .option("--tool-version <range>", "SemVer version or range")
    .option("--key <key>", "idempotency key")
    .option("--timeout-ms <n>", "how long the tool may run")
    .addHelpText("after", `\nExample:\n  helixrun call artifact_import '{"content":"hello"}'`)
    .action(async (tool: string, input: string, flags: CallFlags) => {
      const { readConfig } = await import("./config.ts");
      const { attachOrStart } = await import("./supervisor/attach-or-start.ts");
      const { credentialOf } = await import("./credential-of.ts");
      const { postToolCall } = await import("./mcp-post.ts");
      const config = { ...readConfig(flags), idleStopSeconds: 600 };
      const call = { name: tool, arguments: await jsonInput(input), meta: metaOf(flags) };
      const { mcpUrl } = await attachOrStart(config);
      const answer = await postToolCall({ mcpUrl, token: await credentialOf(config.dataDir, flags.project) }, call);
      process.stdout.write(`${flags.json ? JSON.stringify(answer) : textOf(answer)}\n`);
      process.exitCode = exitCodeOf(answer);
    });
}

type CallFlags = {
  data?: string;
  json: boolean;
  project: string;
  toolVersion?: string;
  key?: string;
  timeoutMs?: string;
};

async function jsonInput(input: string): Promise<unknown> {
  const { parseJson } = await import("../toolpacks/contract/parse-json.ts");
  const { text } = await import("node:stream/consumers");
  const { isToolError } = await import("../toolpacks/contract/tool-error.ts");
  const { complaint } = await import("./complaint.ts");
  try {
    return parseJson(input === "-" ? await text(process.stdin) : input);
  } catch (error) {
    if (!isToolError(error)) throw error;
    throw complaint(`the input is not valid JSON: ${JSON.stringify(error.details)}`, exitCodes.invalidRequest, error);
  }
}

function metaOf({ toolVersion, key, timeoutMs }: CallFlags): Record<string, unknown> {
  const call = {
    ...(toolVersion !== undefined && { tool_version: toolVersion }),
    ...(key !== undefined && { idempotency_key: key }),
    ...(timeoutMs !== undefined && { constraints: { timeout_ms: Number(timeoutMs) } }),
  };
  return { "dev.helixrun/call": call };
}

function textOf(answer: Answer): string {
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

function exitCodeOf({ status }: Answer): number {
  return exitCodeOfStatus[status];
}
