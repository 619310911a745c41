import type { Command } from "commander";
import { exitCodes } from "./complaint.ts";
import type { Flags } from "./config.ts";
import { dataOption, jsonOption } from "./options.ts";
import type { Stack } from "./supervisor/stack-file.ts";

/** `helixrun status` */
export function registerStatus(program: Command): void {
  jsonOption(dataOption(program.command("status")))
    .description("say whether the stack runs; exit code 0 when it serves, 3 when not")
    .addHelpText("after", "\nExample:\n  helixrun status --json")
    .action(async (flags: Flags & { json: boolean }) => {
      const { readConfig } = await import("./config.ts");
      const { liveStack } = await import("./supervisor/stack-file.ts");
      const { dataDir } = readConfig(flags);
      const stack = await liveStack(dataDir);
      const answer = { running: stack?.status === "ready", dataDir, ...stack };
      process.stdout.write(`${flags.json ? JSON.stringify(answer) : statusText(dataDir, stack)}\n`);
      process.exitCode = answer.running ? exitCodes.success : exitCodes.retryable;
    });
}

function statusText(dataDir: string, stack: Stack | undefined): string {
  if (!stack) return `not running: ${dataDir}`;
  const services = Object.entries(stack.services).map(([name, service]) =>
    [
      `  ${name.padEnd(10)}`,
      service.state.padEnd(8),
      `process ${service.process?.pid ?? "-"}`,
      restartsOf(service.restarts),
    ]
      .join(" ")
      .trimEnd(),
  );
  return [
    `${stack.status} since ${stack.startedAt}, supervisor process ${stack.supervisor.pid}${stack.status === "starting" ? `: ${stack.step}` : ""}`,
    ...services,
    `  MCP          ${stack.mcpUrl}`,
    `  Temporal UI  ${stack.temporalUiUrl ?? `that of ${stack.temporalAddress ?? "TEMPORAL_ADDRESS"}`}`,
    `  data         ${dataDir}`,
  ].join("\n");
}

const restartsOf = (count: number): string =>
  count === 0 ? "" : `restarted ${count === 1 ? "once" : `${count} times`}`;
