/**
 * A command that does not outlive us: the kernel sends it `signal` when we die, SIGKILL included. The shell in between closes the gap
 * between fork and prctl: had we died in it, the parent would be another by now.
 */
export function tiedCommand(
  command: readonly string[],
  signal: "KILL" | "QUIT",
  parent: number,
  setpriv: string | undefined,
): string[] {
  if (!setpriv) return [...command];
  const stillOurs = '[ "$PPID" = "$0" ] || exit 1; exec "$@"';
  return [setpriv, "--pdeathsig", signal, "--", "/bin/sh", "-c", stillOurs, String(parent), ...command];
}
