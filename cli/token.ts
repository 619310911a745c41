import type { Command } from "commander";
import { dataOption, jsonOption } from "./options.ts";

/** `helixrun token` */
export function registerToken(program: Command): void {
  const token = program.command("token").description("credentials for callers");
  jsonOption(dataOption(token.command("new")))
    .description("make a credential for a project: a 0600 file in the data directory, like the local one")
    .requiredOption("--project <project>", "the project that it is for")
    .addHelpText("after", "\nExample:\n  helixrun token new --project lab-a")
    .action(async (flags: { data?: string; json: boolean; project: string }) => {
      const { join } = await import("node:path");
      const { readConfig } = await import("./config.ts");
      const { newCredential } = await import("../gateway/credentials.ts");
      const { prepareDataDirectory } = await import("./supervisor/data-directory.ts");
      const { dataDir } = readConfig(flags);
      await prepareDataDirectory(dataDir);
      const made = await newCredential(join(dataDir, "credentials"), { actor: "local", project: flags.project });
      process.stdout.write(`${flags.json ? JSON.stringify(made) : made.token}\n`);
    });
}
