import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Answer } from "../toolpacks/contract/envelope.ts";
import { complaint } from "./complaint.ts";
import { postToolCall } from "./mcp-post.ts";
import { readLocalCredential } from "./supervisor/local-credential.ts";
import type { Stack } from "./supervisor/stack-file.ts";

export type FirstCalls = {
  firstRun: { run_id: string; status: string };
  replay: { run_id: string; status: string; replayed: boolean };
};

const sample = new URL("../infra/sample/reads.fasta", import.meta.url);
const sampleName = "sample-reads.fasta";

/** Imports a small file through MCP, twice: the second time shows that the same question is answered by the same run. */
export async function firstCalls(stack: Stack): Promise<FirstCalls> {
  await mkdir(stack.inboxDir, { recursive: true });
  await copyFile(sample, join(stack.inboxDir, sampleName));
  const { token } = await readLocalCredential(stack.dataDir);
  const importSample = async () =>
    succeeded(
      await postToolCall({ mcpUrl: stack.mcpUrl, token }, { name: "artifact_import", arguments: { path: sampleName } }),
    );
  const first = await importSample();
  const again = await importSample();
  return {
    firstRun: { run_id: first.run_id, status: first.status },
    replay: { run_id: again.run_id, status: again.status, replayed: again.provenance.replayed },
  };
}

function succeeded(answer: Answer): Answer & { run_id: string } {
  if (answer.status !== "success" || answer.run_id === null)
    throw complaint(`importing the sample: ${JSON.stringify(answer)}`);
  return { ...answer, run_id: answer.run_id };
}
