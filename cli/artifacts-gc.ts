import type { Command } from "commander";
import { z } from "zod";
import { dataOption, jsonOption, projectOption } from "./options.ts";

const Amount = z.object({ count: z.int(), bytes: z.int() });
const Collected = z.object({ tombstoned_logs: Amount, condemned: Amount, swept: Amount, orphans: Amount });

type Flags = { data?: string; project: string; json: boolean; dryRun: boolean };

/** `helixrun artifacts gc` */
export function registerArtifactsGc(artifacts: Command): void {
  jsonOption(projectOption(dataOption(artifacts.command("gc"))))
    .description("remove logs that have reached their age, and blobs that nothing refers to any more")
    .option("--dry-run", "say what would be removed, and change nothing", false)
    .addHelpText("after", "\nExample:\n  helixrun artifacts gc --dry-run")
    .action(async (flags: Flags) => {
      const { openOperator } = await import("./artifacts/open-operator.ts");
      const { sizeText } = await import("./artifacts/artifacts-text.ts");
      const ask = await openOperator(flags, "gc");
      const line = (verb: string, { count, bytes }: z.infer<typeof Amount>) => `${verb} ${count} (${sizeText(bytes)})`;
      const textOf = (said: unknown) => {
        const { tombstoned_logs, condemned, swept, orphans } = Collected.parse(said);
        return [
          line("logs past their age:", tombstoned_logs),
          line("blobs condemned:", condemned),
          line("blobs removed:", swept),
          line("files without owner removed:", orphans),
        ];
      };
      const result = await ask({ dry_run: flags.dryRun }, (sofar) => textOf(sofar).join(", "));
      const lines = [...(flags.dryRun ? ["nothing was changed; now would be:"] : []), ...textOf(result)];
      process.stdout.write(`${flags.json ? JSON.stringify(result) : lines.join("\n")}\n`);
    });
}
