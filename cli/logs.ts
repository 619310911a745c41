import { Argument, type Command } from "commander";
import type { Flags } from "./config.ts";
import { dataOption } from "./options.ts";

const names = ["supervisor", "postgres", "temporal", "worker", "gateway"] as const;

/** `helixrun logs` */
export function registerLogs(program: Command): void {
  dataOption(program.command("logs"))
    .description("show the end of the services' logs")
    .addArgument(new Argument("[names...]", "which ones (default: all)").choices(names))
    .option("-n, --lines <count>", "how many lines of each", "20")
    .option("-f, --follow", "go on as they grow", false)
    .addHelpText("after", "\nExample:\n  helixrun logs gateway worker -n 100 --follow")
    .action(async (chosen: string[], flags: Flags & { lines: string; follow: boolean }) => {
      const { readConfig } = await import("./config.ts");
      const { showLogs } = await import("./supervisor/show-logs.ts");
      const { dataDir } = readConfig(flags);
      await showLogs({
        dataDir,
        names: chosen.length > 0 ? chosen : names,
        lines: Number(flags.lines) || 0,
        follow: flags.follow,
        write: (line) => process.stdout.write(`${line}\n`),
      });
    });
}
