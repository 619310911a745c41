import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Answer } from "../../toolpacks/contract/envelope.ts";
import type { McpCaller } from "./mcp-caller.ts";

/** Content that no import before had: a line of its own and some bytes to go with it. */
export const newContent = (): string => `${randomUUID()} ${"acgt".repeat(50)}\n`;

const Imported = z.object({ artifact_id: z.string(), sha256: z.string() });
type Imported = z.infer<typeof Imported>;

/** Imports content that is not there yet; throws unless it is there afterwards, with the right hash. */
export async function importNew(call: McpCaller<Answer>, content = newContent()): Promise<Imported> {
  const { output } = succeeded(await call("artifact_import", { content }));
  const imported = Imported.parse(output);
  const sha256 = createHash("sha256").update(content).digest("hex");
  if (imported.sha256 !== sha256) throw new Error(`imported as ${imported.sha256}, sent ${sha256}`);
  return imported;
}

/** Calls that have an answer in the ledger: the plainer one, and one whose content is hashed anew each time. */
export async function replays(call: McpCaller<Answer>) {
  const content = newContent();
  const { artifact_id } = await importNew(call, content);
  await call("artifact_get", { artifact_id }).then(succeeded);
  return {
    get: { name: "artifact_get", arguments: { artifact_id } },
    import: { name: "artifact_import", arguments: { content } },
  };
}

/** Makes a call that must be answered from the ledger. */
export async function replay(call: McpCaller<Answer>, { name, arguments: args }: { name: string; arguments: unknown }) {
  const answer = succeeded(await call(name, args));
  if (!answer.provenance.replayed) throw new Error(`not replayed: ${JSON.stringify(answer)}`);
}

/** A call that must have succeeded. */
export function succeeded(answer: Answer): Answer & { status: "success" } {
  if (answer.status !== "success") throw new Error(`not a success: ${JSON.stringify(answer)}`);
  return answer;
}
