import { Command, CommanderError } from "commander";
import { exitCodes, isComplaint } from "./complaint.ts";
import { registerArtifacts } from "./artifacts.ts";
import { registerBackup } from "./backup.ts";
import { registerCall } from "./call.ts";
import { registerDoctor } from "./doctor.ts";
import { registerDown } from "./down.ts";
import { registerLogs } from "./logs.ts";
import { registerMcp } from "./mcp.ts";
import { registerRuns } from "./runs.ts";
import { registerRestore } from "./restore.ts";
import { registerStatus } from "./status.ts";
import { registerToken } from "./token.ts";
import { registerUp } from "./up.ts";

const program = new Command("helixrun")
  .description("A durable tool runner for agents.")
  .exitOverride()
  .showHelpAfterError("(helixrun --help shows all commands)");

// Each command loads what it needs when it runs: `helixrun --help` and the supervisor stay small.
for (const register of [
  registerUp,
  registerCall,
  registerRuns,
  registerArtifacts,
  registerMcp,
  registerStatus,
  registerDown,
  registerLogs,
  registerToken,
  registerBackup,
  registerRestore,
  registerDoctor,
])
  register(program);

await program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError)
    process.exit(error.exitCode === 0 ? exitCodes.success : exitCodes.invalidRequest); // it has spoken already
  process.stderr.write(`helixrun: ${wordsOf(error)}\n`);
  process.exit(isComplaint(error) ? error.exitCode : exitCodes.unexpected);
});

/** A complaint says all there is to say; anything else is a fault of ours, and its stack helps to find it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isComplaint(error) ? error.message : (error.stack ?? error.message);
}
