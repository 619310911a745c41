import type { Answer } from "../../../../toolpacks/contract/envelope.ts";
import type { TestStack } from "../../../kit/stack.ts";

export type Imported = { artifact_id: string; sha256: string; bytes: number; type: string; label: string };

/** Imports content and returns what the tool says of it. */
export async function imported(
  stack: TestStack,
  content: string | Uint8Array,
  { project = "default", ...more }: { project?: string; type?: string; label?: string } = {},
): Promise<Imported> {
  const input = { content: Buffer.from(content).toString("base64"), encoding: "base64", ...more };
  return outputOf<Imported>(await stack.call("artifact_import", input, { project }));
}

export function outputOf<Output>(answer: Answer): Output {
  if (answer.status !== "success") throw new Error(JSON.stringify(answer));
  return answer.output as Output;
}
