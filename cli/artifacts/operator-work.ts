import { z } from "zod";
import { StoredError } from "../../toolpacks/contract/stored-error.ts";
import type { Outcome } from "../../toolpacks/contract/errors.ts";
import { complaint, exitCodes } from "../complaint.ts";

type Gateway = { apiUrl: string; token: string; fetch?(url: string, init: RequestInit): Promise<Response> };
type Asked = { path: string; body: unknown; onProgress(sofar: unknown): void };

const Line = z.union([
  z.object({ progress: z.unknown() }),
  z.object({ result: z.unknown() }),
  z.object({ error: StoredError }),
]);

/** Asks an operator's door to do something long: tells its progress as it comes, answers its result. */
export async function operatorWork(gateway: Gateway, { path, body, onProgress }: Asked): Promise<unknown> {
  const response = await (gateway.fetch ?? fetch)(`${gateway.apiUrl}/v1/operator/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
  });
  for await (const text of linesOf(response)) {
    const line = Line.parse(JSON.parse(text));
    if ("error" in line) throw refusal(line.error);
    if ("result" in line) return line.result;
    onProgress(line.progress);
  }
  throw complaint("the gateway broke off. Fix: ask again; what was done stays done.", exitCodes.retryable);
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

const exitCodeOf = {
  invalid_request: exitCodes.invalidRequest,
  retryable_error: exitCodes.retryable,
  terminal_error: exitCodes.terminal,
} satisfies Record<Outcome, number>;

function refusal({ code, message, status, details }: StoredError): Error {
  return complaint(`${code}: ${message}\n${JSON.stringify(details, null, 2)}`, exitCodeOf[status]);
}
