import type { Command } from "commander";
import { z } from "zod";
import { complaint, exitCodes } from "./complaint.ts";
import { dataOption, jsonOption, projectOption } from "./options.ts";

const Amount = z.object({ count: z.int(), bytes: z.int() });
const Progress = z.object({ verified: Amount, bad: z.int() });
const Affected = z.object({ artifact_id: z.string(), project: z.string(), made_by_run: z.string() });
const Verified = z.object({
  verified: Amount,
  bad: z.array(z.object({ sha256: z.string(), found: z.string(), artifacts: z.array(Affected) })),
});

type Flags = { data?: string; project: string; json: boolean; sample?: string };

/** `helixrun artifacts verify` */
export function registerArtifactsVerify(artifacts: Command): void {
  jsonOption(projectOption(dataOption(artifacts.command("verify"))))
    .description("hash stored blobs again, and set bad ones aside; ends with 4 if there are any")
    .option("--sample <fraction>", "only such a part of them, by chance: 0.1")
    .addHelpText("after", "\nExample:\n  helixrun artifacts verify --sample 0.1")
    .action(async (flags: Flags) => {
      const { openOperator } = await import("./artifacts/open-operator.ts");
      const { sizeText } = await import("./artifacts/artifacts-text.ts");
      const body = { sample: flags.sample === undefined ? "all" : fractionOf(flags.sample) };
      const ask = await openOperator(flags, "verify");
      const count = ({ count: n, bytes }: z.infer<typeof Amount>, bad: number) =>
        `verified ${n} blobs (${sizeText(bytes)}), ${bad} bad`;
      const result = await ask(body, (sofar) => {
        const { verified, bad } = Progress.parse(sofar);
        return count(verified, bad);
      });
      const { verified, bad } = Verified.parse(result);
      const lines = [count(verified, bad.length), ...bad.flatMap(linesOf)];
      process.stdout.write(`${flags.json ? JSON.stringify(result) : lines.join("\n")}\n`);
      if (bad.length > 0) process.exitCode = exitCodes.terminal;
    });
}

function fractionOf(text: string): number {
  const fraction = Number(text);
  if (fraction > 0 && fraction <= 1) return fraction;
  throw complaint(`--sample is a part such as 0.1, not ${text}`, exitCodes.invalidRequest);
}

function linesOf({ sha256, found, artifacts }: z.infer<typeof Verified>["bad"][number]): string[] {
  const named = artifacts.map((a) => `  ${a.artifact_id} of project ${a.project}, made by ${a.made_by_run}`);
  return [`bad: ${sha256}, found ${found}. Fix: import again:`, ...named];
}
