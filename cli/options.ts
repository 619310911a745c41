import type { Command } from "commander";

/** Every command speaks of one data directory. */
export const dataOption = (command: Command): Command =>
  command.option("--data <directory>", "data directory (HELIXRUN_DATA)");

export const jsonOption = (command: Command): Command => command.option("--json", "print one JSON document", false);
