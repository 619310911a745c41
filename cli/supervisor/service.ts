export const serviceNames = ["postgres", "temporal", "worker", "gateway"] as const;
export type ServiceName = (typeof serviceNames)[number];

/** A process that the supervisor starts, watches, restarts and stops. */
export type Service = {
  name: ServiceName;
  command: readonly string[];
  environment?: Record<string, string | undefined>;
  account?: { uid: number; gid: number } | undefined;
  /** What the kernel sends it when the supervisor dies. */
  deathSignal: "KILL" | "QUIT";
  /** What asks it to end in order. */
  stopSignal: NodeJS.Signals;
  /** A Node process of ours: an IPC channel, over which it says `{ ready: true }`. */
  talks: boolean;
  readyWithin: number;
  /** Before each start: clears what an earlier one left. */
  beforeStart?(): Promise<void>;
  /** After each start, where the process does not say so itself. */
  ready?(signal: AbortSignal): Promise<void>;
};

export type ServiceState = "starting" | "ready" | "ended";
