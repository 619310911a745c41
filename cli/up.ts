import type { Command } from "commander";
import type { Flags } from "./config.ts";
import { dataOption } from "./options.ts";
import type { UpOptions } from "./supervisor/run-up.ts";

/** `helixrun up` */
export function registerUp(program: Command): void {
  dataOption(program.command("up"))
    .description("start the stack, or attach to the one that runs")
    .option("--dir <directory>", "deployment directory: policy.yaml, grants.yaml (default: the working directory)")
    .option("--port <port>", "port of the gateway (MCP)")
    .option("--postgres-port <port>", "port of PostgreSQL")
    .option("--temporal-port <port>", "port of Temporal")
    .option("--temporal-ui-port <port>", "port of Temporal's web pages")
    .option(
      "--import-root <name=/directory>",
      "a directory that files may be imported from; may be repeated",
      (root: string, roots: string[] | undefined) => [...(roots ?? []), root],
    )
    .option("--once", "end after the first calls", false)
    .option("--json", "print one line of JSON when ready; everything else goes to stderr", false)
    .option("--no-first-call", "do not import the sample file")
    .option("--idle-stop <seconds>", "end after so long without a client and without open work")
    .option("--detached", "as a background process of its own: leave at once where another stack runs", false)
    .addHelpText("after", "\nExample:\n  helixrun up --data ./data --port 7420 --import-root reads=/srv/reads")
    .action(async (flags: Flags & UpOptions) => {
      const { readConfig } = await import("./config.ts");
      const { runUp } = await import("./supervisor/run-up.ts");
      process.exit(await runUp(readConfig(flags), flags));
    });
}
