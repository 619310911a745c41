import type { Command } from "commander";
import { exitCodes } from "./complaint.ts";
import type { Flags } from "./config.ts";
import { dataOption, jsonOption } from "./options.ts";
import type { Finding } from "./supervisor/finding.ts";

/** `helixrun doctor` */
export function registerDoctor(program: Command): void {
  jsonOption(dataOption(program.command("doctor")))
    .description("say what is present, what is missing and how to get it; exit code 4 when something needed is missing")
    .addHelpText("after", "\nExample:\n  helixrun doctor")
    .action(async (flags: Flags & { json: boolean }) => {
      const { readConfig } = await import("./config.ts");
      const { examine } = await import("./supervisor/examine.ts");
      const findings = await examine(readConfig(flags));
      const healthy = findings.every(({ state }) => state !== "missing");
      process.stdout.write(
        `${flags.json ? JSON.stringify({ healthy, findings }) : findings.map(findingText).join("\n")}\n`,
      );
      process.exitCode = healthy ? exitCodes.success : exitCodes.terminal;
    });
}

const findingText = ({ name, state, found, fix }: Finding): string =>
  `${state.padEnd(8)} ${name.padEnd(16)} ${found}${fix ? `\n${" ".repeat(26)}get it: ${fix}` : ""}`;
