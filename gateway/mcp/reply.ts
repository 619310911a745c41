import type { CallToolResult, ImageContent } from "@modelcontextprotocol/server";
import type { Answer } from "../../toolpacks/contract/envelope.ts";

const maxShown = 4_096;

/** An answer as MCP carries it: always the envelope as structured content, and a short text for who reads only that. */
export function replyOf(answer: Answer, thumbnail?: ImageContent): CallToolResult {
  const isError = answer.status !== "success" && answer.status !== "pending";
  const content = [{ type: "text" as const, text: summaryOf(answer) }, ...(thumbnail ? [thumbnail] : [])];
  return { content, structuredContent: { ...answer }, isError };
}

function summaryOf(answer: Answer): string {
  const run = answer.run_id === null ? "" : ` (run ${answer.run_id})`;
  if (answer.status === "pending") return `still ${answer.state}${run}. ${answer.next}`;
  if (answer.status === "success") {
    const replayed = answer.provenance.replayed ? `, replayed from ${answer.provenance.replayed_from}` : "";
    return `success${replayed}${run}\n${shown(answer.output)}`;
  }
  const { code, message, details } = answer.error;
  return `${answer.status} ${code}${run}: ${message}\nFix: ${String(details["fix"])}\n${shown(details)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= maxShown
    ? text
    : `${text.slice(0, maxShown)}… (${text.length} characters; see structuredContent)`;
}
