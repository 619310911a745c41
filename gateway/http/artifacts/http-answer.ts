import { errorCatalogue, isErrorCode } from "../../../toolpacks/contract/errors.ts";
import type { Answer } from "../../../toolpacks/contract/envelope.ts";
import { storedErrorOf } from "../../../toolpacks/contract/stored-error.ts";
import type { ToolError } from "../../../toolpacks/contract/tool-error.ts";
import { answerOf, askedOf, type Said } from "../../answer.ts";

/** The response envelope over HTTP; its status is the catalogue's. */
export function httpAnswer(answer: Answer, headers: Record<string, string> = {}): Response {
  return Response.json(answer, { status: statusOf(answer), headers });
}

/** What a door of ours says that is no tool: the same envelope, without a run. */
export function saidOverHttp(name: string, said: Said, headers: Record<string, string> = {}): Response {
  return httpAnswer(envelopeOf(name, said), headers);
}

/**
 * An error where bytes were asked for: never a 2xx, which a downloader would take for the bytes (the catalogue answers
 * whatever was executed with 200).
 */
export function refusedRead(name: string, error: ToolError, headers: Record<string, string> = {}): Response {
  const answer = envelopeOf(name, { kind: "error", error: storedErrorOf(error) });
  const listed = statusOf(answer);
  const status = error.code === "P-PRECOND-001" ? 404 : listed >= 400 ? listed : failed[answer.status];
  return Response.json(answer, { status, headers });
}

const failed: Record<Answer["status"], number> = {
  invalid_request: 400,
  retryable_error: 503,
  terminal_error: 500,
  success: 500,
  pending: 503,
};

function envelopeOf(name: string, said: Said): Answer {
  const now = Date.now();
  return answerOf(askedOf({ tool_id: name, tool_version: "1.0.0" }, now), said, now);
}

function statusOf(answer: Answer): number {
  if (answer.status === "success") return 200;
  if (answer.status === "pending") return 202;
  return isErrorCode(answer.error.code) ? errorCatalogue[answer.error.code].http : 200;
}
