import type { Command } from "commander";
import type { showOutput } from "./gateway-call.ts";
import { complaint, exitCodes } from "./complaint.ts";
import { registerArtifactsGc } from "./artifacts-gc.ts";
import { registerArtifactsVerify } from "./artifacts-verify.ts";
import { dataOption, groupOf, jsonOption, projectOption } from "./options.ts";

type Flags = { data?: string; project: string; json: boolean };

/** `helixrun artifacts import|get|list|preview|gc|verify` */
export function registerArtifacts(program: Command): void {
  const artifacts = groupOf(program, "artifacts", "bring files in, look at artifacts, take them out");
  const command = (name: string) => jsonOption(projectOption(dataOption(artifacts.command(name))));

  command("import")
    .description("upload files; a folder becomes a tree")
    .argument("<path...>")
    .option("--type <type>", "what the files are; default: told from their content")
    .option("--label <label>", "a name for people")
    .addHelpText("after", "\nExample:\n  helixrun artifacts import reads.fastq.gz results/ --label monday")
    .action(async (paths: string[], flags: Flags & { type?: string; label?: string }) => {
      const { importPath } = await import("./artifacts/import-paths.ts");
      const { exitCodeOf, textOf } = await import("./gateway-call.ts");
      const { progress, end, door, call } = await transfer(flags);
      const imported = [];
      for (const path of paths) {
        const answer = await importPath({ door, call, progress }, path, flags).finally(end);
        imported.push({ path, answer });
        const id = madeIn(answer);
        if (!flags.json)
          process.stdout.write(`${id === undefined ? `${path}: ${textOf(answer)}` : `${id}  ${path}`}\n`);
        process.exitCode ||= exitCodeOf(answer);
      }
      if (flags.json) process.stdout.write(`${JSON.stringify(imported)}\n`);
    });

  command("get")
    .description("download an artifact, or a tree as a folder; goes on where an earlier download broke off")
    .argument("<artifact>")
    .option("-o, --output <path>", "a file, or a folder; default: here, under its id")
    .addHelpText("after", "\nExample:\n  helixrun artifacts get art_… -o reads.fastq.gz")
    .action(async (id: string, flags: Flags & { output?: string }) => {
      const { getArtifact } = await import("./artifacts/get-artifact.ts");
      const { progress, end, door } = await transfer(flags);
      const got = await getArtifact({ door, progress }, id, flags.output).finally(end);
      process.stdout.write(`${flags.json ? JSON.stringify(got) : got.path}\n`);
    });

  command("list")
    .description("the newest artifacts of the project")
    .option("--type <type>", "only of this type")
    .option("--label <label>", "only with this label")
    .option("--run <run>", "only made by this run")
    .option("--logs", "logs of runs too", false)
    .option("--limit <n>", "how many", "20")
    .option("--cursor <cursor>", "the page after, as the one before says")
    .addHelpText("after", "\nExample:\n  helixrun artifacts list --type csv --limit 5")
    .action(async (flags: Flags & ListFlags) => {
      const { listAsTable } = await import("./artifacts/artifacts-text.ts");
      await show(flags, { name: "artifact_list", arguments: listInputOf(flags) }, listAsTable);
    });

  command("preview")
    .description("the start of an artifact: text, a table or a report, by its type")
    .argument("<artifact>")
    .option("--as <kind>", "text, table or report; default: by its type")
    .addHelpText("after", "\nExample:\n  helixrun artifacts preview art_… --as table")
    .action(async (id: string, flags: Flags & { as?: string }) => {
      const { outputOf } = await import("./gateway-call.ts");
      const text = await import("./artifacts/artifacts-text.ts");
      const kind = flags.as ?? kindOf(await outputOf(flags, { name: "artifact_get", arguments: { artifact_id: id } }));
      const asText = { text: text.textPreview, table: text.tableAsText, report: text.reportAsText }[kind];
      if (!asText) throw complaint(`--as is text, table or report, not ${kind}.`, exitCodes.invalidRequest);
      await show(flags, { name: `artifact_preview_${kind}`, arguments: { artifact_id: id } }, asText);
    });

  registerArtifactsGc(artifacts);
  registerArtifactsVerify(artifacts);
}

type ListFlags = { type?: string; label?: string; run?: string; logs: boolean; limit: string; cursor?: string };

function listInputOf({ type, label, run, logs, limit, cursor }: ListFlags) {
  const given = Object.entries({ type, label, run, cursor }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(logs && { logs }), limit: Number(limit) };
}

/** Which preview shows most of a type. */
function kindOf(output: unknown): string {
  const type = typeof output === "object" && output !== null && "type" in output ? String(output.type) : "";
  if (/^[ct]sv(\.gz)?$/.test(type)) return "table";
  return /^html(\.gz)?$/.test(type) ? "report" : "text";
}

/** What import and get share: the gateway, and a line that tells how far they are. */
async function transfer(flags: Flags) {
  const { readConfig } = await import("./config.ts");
  const { attachOrStart } = await import("./supervisor/attach-or-start.ts");
  const { credentialOf } = await import("./credential-of.ts");
  const { postToolCall } = await import("./mcp-post.ts");
  const { createProgressLine } = await import("./progress-line.ts");
  const { createTransferDoor } = await import("./artifacts/transfer-door.ts");
  const { barOf } = await import("./artifacts/bar.ts");
  const config = { ...readConfig(flags), idleStopSeconds: 600 };
  const { mcpUrl, apiUrl } = await attachOrStart(config);
  const token = await credentialOf(config.dataDir, flags.project);
  const line = createProgressLine(process.stderr);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort()); // a second one ends us at once
  return {
    door: createTransferDoor({ apiUrl, token, stop: stopping.signal }),
    call: (name: string, input: unknown) => postToolCall({ mcpUrl, token }, { name, arguments: input }),
    progress: barOf(line.progress),
    end: line.end,
  };
}

function madeIn(answer: object): string | undefined {
  const output: unknown = "output" in answer ? answer.output : undefined;
  return typeof output === "object" && output && "artifact_id" in output ? String(output.artifact_id) : undefined;
}

async function show(...shown: Parameters<typeof showOutput>): Promise<void> {
  const loaded = await import("./gateway-call.ts");
  await loaded.showOutput(...shown);
}
