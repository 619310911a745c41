import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readJsonFile, writeJsonFile } from "./json-file.ts";
import { Ports } from "./ports.ts";
import { isRunning, ProcessIdentity } from "./process-identity.ts";
import { serviceNames } from "./service.ts";

/** stack.json: the running stack as everyone else sees it. */
export const Stack = z.object({
  status: z.enum(["starting", "ready", "stopping"]),
  /** What it is doing while it starts, for whoever waits for it. */
  step: z.string(),
  supervisor: ProcessIdentity,
  services: z.partialRecord(
    z.enum(serviceNames),
    z.object({
      process: ProcessIdentity.nullable(),
      state: z.enum(["starting", "ready", "ended"]),
      restarts: z.int(),
      log: z.string(),
    }),
  ),
  ports: Ports,
  mcpUrl: z.string(),
  apiUrl: z.string(),
  temporalUiUrl: z.string().nullable(),
  temporalAddress: z.string().nullable(),
  dataDir: z.string(),
  inboxDir: z.string(),
  deploymentDir: z.string(),
  startedAt: z.string(),
});
export type Stack = z.infer<typeof Stack>;

const fileIn = (dataDir: string) => join(dataDir, "stack.json");

export const readStack = (dataDir: string): Promise<Stack | undefined> => readJsonFile(fileIn(dataDir), Stack);
export const writeStack = (stack: Stack): Promise<void> => writeJsonFile(fileIn(stack.dataDir), stack);
export const removeStack = (dataDir: string): Promise<void> => rm(fileIn(dataDir), { force: true });

/** The stack whose supervisor is alive, in whatever state; a file left by a killed one does not count. */
export async function liveStack(dataDir: string): Promise<Stack | undefined> {
  const stack = await readStack(dataDir);
  return stack && isRunning(stack.supervisor) ? stack : undefined;
}
