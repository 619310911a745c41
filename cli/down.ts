import type { Command } from "commander";
import { complaint, exitCodes } from "./complaint.ts";
import type { Flags } from "./config.ts";
import { dataOption } from "./options.ts";

const endsWithin = 20_000; // the supervisor gives its services 10 s

/** `helixrun down` */
export function registerDown(program: Command): void {
  dataOption(program.command("down"))
    .description("stop the stack; the data stays")
    .addHelpText("after", "\nExample:\n  helixrun down --data ./data")
    .action(async (flags: Flags) => {
      const { readConfig } = await import("./config.ts");
      process.stdout.write(`${await takeDown(readConfig(flags).dataDir)}\n`);
    });
}

/** Asks the supervisor, known by id and start time, to end, and waits until it has. */
async function takeDown(dataDir: string): Promise<string> {
  const { liveStack } = await import("./supervisor/stack-file.ts");
  const { isGoneWithin, signalTo } = await import("./supervisor/process-identity.ts");
  const stack = await liveStack(dataDir);
  if (!stack) return `not running: ${dataDir}`;
  signalTo(stack.supervisor, "SIGTERM");
  if (await isGoneWithin(stack.supervisor, endsWithin)) return `stopped: ${dataDir}`;
  throw complaint(
    `process ${stack.supervisor.pid} did not end within ${endsWithin / 1000} s. Fix: kill -9 ${stack.supervisor.pid} (its services end with it).`,
    exitCodes.retryable,
  );
}
