import type { TemporalVersion } from "./version.ts";

export type WayContext = {
  /** TEMPORAL_ADDRESS: a server somebody else runs. */
  address: string | undefined;
  /** PATH. */
  searchPath: string;
  cacheDir: string;
  /** A finished step, in one line. */
  say(line: string): void;
  /** How far a long step is; shown as the caller sees fit. */
  progress(line: string): void;
  /** Makes a command end with us. */
  tie(command: string[]): string[];
  /** Ends when the user does not want to wait any longer. */
  signal: AbortSignal;
};

export type FoundServer =
  | { kind: "address"; address: string }
  | { kind: "program"; executable: string; version: TemporalVersion };

/** A way to a Temporal server: what it found, or why not and what would help. */
export type Way = {
  name: string;
  /** Slow ways change the machine (download, build): `doctor` names them and does not take them. */
  slow: boolean;
  find(context: WayContext): Promise<Found | Missed>;
};

export type Found = { found: FoundServer; where: string };
export type Missed = { missed: string; fix: string };
