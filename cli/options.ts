import type { Command } from "commander";

/** Every command speaks of one data directory. */
export const dataOption = (command: Command): Command =>
  command.option("--data <directory>", "data directory (HELIXRUN_DATA)");

export const jsonOption = (command: Command): Command => command.option("--json", "print one JSON document", false);

export const projectOption = (command: Command): Command =>
  command.option("--project <project>", "the project to work in", "default");

/** The commands about one thing, `helixrun artifacts …`, which may be registered from several files. */
export const groupOf = (program: Command, name: string, description: string): Command =>
  program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
