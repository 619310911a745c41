import { tiedCommand } from "./tied-command.ts";

/** Ties the short-lived programs of a start (initdb, a download, a build) to our life and to the user's patience. */
export type Leash = { tie(command: string[]): string[]; signal: AbortSignal };

export const createLeash = (setpriv: string | undefined, signal: AbortSignal): Leash => ({
  tie: (command) => tiedCommand(command, "KILL", process.pid, setpriv),
  signal,
});
