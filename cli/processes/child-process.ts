/** What our own child processes have in common: they tell the supervisor when they serve, and never outlive it. */
export function serveUnderSupervisor(child: { ready: Promise<unknown>; stop(): Promise<void> }): void {
  const stop = () => {
    child.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", () => undefined); // Ctrl-C reaches the whole group; the supervisor decides the order of stopping
  process.once("disconnect", stop);
  child.ready.then(() => process.send?.({ ready: true }), fail);
}

/** Faults of ours go to the process's log file, which the supervisor keeps. */
export function logFault(fault: unknown): void {
  const text = fault instanceof Error ? (fault.stack ?? fault.message) : JSON.stringify(fault, errorsAsText);
  process.stderr.write(`${new Date().toISOString()} ${text}\n`);
}

function fail(error: unknown): void {
  logFault(error);
  process.exit(1);
}

function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.stack : value;
}
