import { isGoneWithin, isRunning, type ProcessIdentity, signalTo } from "./process-identity.ts";
import { readStack, type Stack } from "./stack-file.ts";

/**
 * Ends what an earlier supervisor of this data directory left running. Called by the owner of the lock, so that supervisor is dead
 * or dying; the kernel ends its services with it, and this is for those it could not (no setpriv, a service in the middle of ending).
 */
export async function endLeftovers(dataDir: string, say: (line: string) => void): Promise<void> {
  const earlier = await readStack(dataDir);
  if (!earlier) return;
  await Promise.all(processesOf(earlier).map(({ name, identity }) => end(name, identity, say)));
}

const processesOf = (stack: Stack): { name: string; identity: ProcessIdentity }[] =>
  Object.entries(stack.services).flatMap(([name, service]) =>
    service?.process ? [{ name, identity: service.process }] : [],
  );

async function end(name: string, identity: ProcessIdentity, say: (line: string) => void): Promise<void> {
  if (!isRunning(identity)) return;
  say(`ending ${name} (process ${identity.pid}) of an earlier start`);
  signalTo(identity, name === "postgres" ? "SIGQUIT" : "SIGKILL");
  if (await isGoneWithin(identity, 5000)) return;
  signalTo(identity, "SIGKILL");
  if (await isGoneWithin(identity, 5000)) return;
  throw new Error(
    `${name} (process ${identity.pid}) of an earlier start does not end. Fix: kill -9 ${identity.pid}, then start again.`,
  );
}
