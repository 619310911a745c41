import type { Ledger } from "../../ledger/ledger.ts";

/** Whether the gateway can do its work, and how long nobody has asked it to. */
export type Health = {
  seen(): void;
  report(): Promise<{
    status: "ok" | "ledger_away";
    server_time: string;
    idle_ms: number;
    open_attempts: number | null;
  }>;
};

export function createHealth({
  ledger,
  clock,
}: {
  ledger: Pick<Ledger, "countOpenAttempts">;
  clock(): number;
}): Health {
  let lastSeen = clock();
  return {
    seen() {
      lastSeen = clock();
    },
    async report() {
      const openAttempts = await ledger.countOpenAttempts().catch(() => null);
      return {
        status: openAttempts === null ? "ledger_away" : "ok",
        server_time: new Date(clock()).toISOString(),
        idle_ms: clock() - lastSeen,
        open_attempts: openAttempts,
      };
    },
  };
}
