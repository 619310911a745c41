import type { Command } from "commander";
import type { showOutput } from "./gateway-call.ts";
import { dataOption, jsonOption, projectOption } from "./options.ts";

type Flags = { data?: string; project: string; json: boolean };

/** `helixrun runs` */
export function registerRuns(program: Command): void {
  const runs = program.command("runs").description("look at runs, wait for them, cancel them");
  const command = (name: string) => jsonOption(projectOption(dataOption(runs.command(name))));

  command("list")
    .description("the newest runs of the project")
    .option("--tool <tool>", "only of this tool")
    .option("--state <state>", "queued, running, succeeded, failed or cancelled")
    .option("--limit <n>", "how many", "20")
    .addHelpText("after", "\nExample:\n  helixrun runs list --state failed")
    .action(async (flags: Flags & { tool?: string; state?: string; limit: string }) => {
      const { runsAsTable } = await import("./runs-text.ts");
      const { tool, state } = flags;
      const input = { ...(tool && { tool }), ...(state && { state }), limit: Number(flags.limit) };
      await show(flags, { name: "run_list", arguments: input }, runsAsTable);
    });

  command("show")
    .description("the receipt of a run: what, who, when, policy, build, inputs, outputs, timings, attempts")
    .argument("<run>")
    .addHelpText("after", "\nExample:\n  helixrun runs show run_…")
    .action(async (run: string, flags: Flags) => {
      const { receiptAsText } = await import("./runs-text.ts");
      await show(flags, { name: "run_get", arguments: { run_id: run } }, receiptAsText);
    });

  command("wait")
    .description("wait until a run has ended, and show it")
    .argument("<run>")
    .option("--wait <seconds>", "how long at most", "45")
    .addHelpText("after", "\nExample:\n  helixrun runs wait run_… --wait 10")
    .action(async (run: string, flags: Flags & { wait: string }) => {
      const { receiptAsText } = await import("./runs-text.ts");
      await show(flags, { name: "run_wait", arguments: { run_id: run, wait_s: Number(flags.wait) } }, receiptAsText);
    });

  command("cancel")
    .description("end a run that is queued or running")
    .argument("<run>")
    .addHelpText("after", "\nExample:\n  helixrun runs cancel run_…")
    .action(async (run: string, flags: Flags) => {
      const { receiptAsText } = await import("./runs-text.ts");
      await show(flags, { name: "run_cancel", arguments: { run_id: run } }, receiptAsText);
    });

  command("lineage")
    .description("what a run or an artifact came from, and what came of it")
    .argument("<id>", "a run_id or an artifact_id")
    .option("--direction <way>", "up, down or both", "both")
    .option("--depth <n>", "how many runs far", "3")
    .option("--mermaid", "as a Mermaid flowchart", false)
    .addHelpText("after", "\nExample:\n  helixrun runs lineage art_… --direction up --mermaid")
    .action(async (id: string, flags: Flags & { direction: string; depth: string; mermaid: boolean }) => {
      const { lineageText } = await import("./runs-text.ts");
      const start = id.startsWith("art_") ? { artifact_id: id } : { run_id: id };
      const format = flags.json ? "json" : flags.mermaid ? "mermaid" : "text";
      const input = { ...start, direction: flags.direction, depth: Number(flags.depth), format };
      await show(flags, { name: "run_lineage", arguments: input }, lineageText);
    });

  command("logs")
    .description("the log of a run")
    .argument("<run>")
    .addHelpText("after", "\nExample:\n  helixrun runs logs run_…")
    .action(async (run: string, flags: Flags) => {
      const { outputOf } = await import("./gateway-call.ts");
      const { logArtifactOf, previewText } = await import("./runs-text.ts");
      const artifact_id = logArtifactOf(await outputOf(flags, { name: "run_get", arguments: { run_id: run } }));
      await show(flags, { name: "artifact_preview_text", arguments: { artifact_id, max_bytes: 8_192 } }, previewText);
    });
}

async function show(...shown: Parameters<typeof showOutput>): Promise<void> {
  const loaded = await import("./gateway-call.ts");
  await loaded.showOutput(...shown);
}
