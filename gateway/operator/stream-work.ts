import type { JsonObject } from "../../toolpacks/contract/json.ts";
import { storedErrorOf } from "../../toolpacks/contract/stored-error.ts";
import { isToolError, ToolError } from "../../toolpacks/contract/tool-error.ts";

/** Something long: it tells how far it is, and stops when the signal says so. */
export type Work = (onProgress: (sofar: JsonObject) => void, signal: AbortSignal) => Promise<JsonObject>;

type Surroundings = { seen(): void; onFault(error: unknown): void; gone: AbortSignal };

const everyMs = 500;

/** Lines of JSON: `progress` now and then, and one `result` or `error` at the end. Who goes away stops the work. */
export function streamWork(work: Work, { seen, onFault, gone }: Surroundings): ReadableStream<Uint8Array> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([gone, stopping.signal]);
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      const say = (line: JsonObject) => controller.enqueue(Buffer.from(`${JSON.stringify(line)}\n`));
      let saidAt = 0;
      const onProgress = (sofar: JsonObject) => {
        if (signal.aborted || performance.now() - saidAt < everyMs) return;
        saidAt = performance.now();
        seen();
        say({ progress: sofar });
      };
      const end = await work(onProgress, signal).then(
        (result): JsonObject => ({ result }),
        (error: unknown): JsonObject => ({ error: storedErrorOf(asToolError(error, signal, onFault)) }),
      );
      if (signal.aborted) return;
      say(end);
      controller.close();
    },
    cancel: () => stopping.abort(),
  });
}

function asToolError(error: unknown, signal: AbortSignal, onFault: (error: unknown) => void): ToolError {
  if (isToolError(error)) return error;
  if (!signal.aborted) onFault(error);
  return new ToolError("S-TOOL-INTERNAL", { cause: error });
}
