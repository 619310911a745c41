import type { Command } from "commander";
import { exitCodes } from "./complaint.ts";
import { dataOption, jsonOption, projectOption } from "./options.ts";

/** `helixrun call` */
export function registerCall(program: Command): void {
  jsonOption(projectOption(dataOption(program.command("call"))))
    .description("call a tool: TOOL and its input as JSON")
    .argument("<tool>")
    .argument("[input]", "JSON object, or - to read it from standard input", "{}")
    .option("--tool-version <range>", "SemVer version or range")
    .option("--key <key>", "idempotency key")
    .option("--timeout-ms <n>", "how long the tool may run")
    .addHelpText("after", `\nExample:\n  helixrun call artifact_import '{"content":"hello"}'`)
    .action(async (tool: string, input: string, flags: CallFlags) => {
      const { callGateway, exitCodeOf, textOf } = await import("./gateway-call.ts");
      const call = { name: tool, arguments: await jsonInput(input), meta: metaOf(flags) };
      const answer = await callGateway(flags, call);
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
