import { CallRequest } from "../../toolpacks/contract/envelope.ts";
import { fingerprintOf } from "../../toolpacks/contract/fingerprint.ts";
import type { Sha256 } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { violationsOfZod } from "../../toolpacks/contract/zod-violations.ts";
import type { Caller } from "./authenticate.ts";

/** `fingerprint`: what the caller asked for, as it wrote it. */
export type CheckedCall = { caller: Caller; request: CallRequest; fingerprint: Sha256; receivedAt: Date };

export type Environment = CallRequest["context"]["env"];

/** Step 2: the shape of the request, all violations at once (C46, C48); and that it is meant for us, by this caller, in time. */
export function createCheckEnvelope({ environment, clock }: { environment: Environment; clock(): number }) {
  return function checkEnvelope(caller: Caller, raw: unknown): CheckedCall {
    const parsed = CallRequest.safeParse(raw);
    if (!parsed.success) throw new ToolError("I-REQ-002", { details: { violations: violationsOfZod(parsed.error) } });
    const request = parsed.data;
    const now = clock();
    if (request.context.actor_id !== caller.actor)
      throw new ToolError("A-AUTH-003", { details: { actor_id: request.context.actor_id } });
    if (request.context.env !== environment) throw new ToolError("P-PRECOND-008", { details: { env: environment } });
    if (request.constraints.deadline_unix_ms <= now)
      throw new ToolError("R-TIMEOUT-001", {
        message: "The deadline had passed when the call arrived.",
        details: { server_time: now },
      });
    const { tool_id: toolId, fn, input, tool_version: versionRange } = request;
    const fingerprint = fingerprintOf({ toolId, fn, input, versionRange });
    return { caller: narrowed(caller, request), request, fingerprint, receivedAt: new Date(now) };
  };
}

/** Scopes in the envelope may only narrow what the token grants. */
function narrowed(caller: Caller, { context: { scopes } }: CallRequest): Caller {
  if (scopes === undefined) return caller;
  const foreign = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (foreign.length > 0) throw new ToolError("A-AUTH-003", { details: { scopes: foreign } });
  return { ...caller, scopes };
}
