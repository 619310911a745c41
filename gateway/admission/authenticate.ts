import type { ActorId, ProjectId } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Credentials } from "../credentials.ts";

/** Who asks, where, and with which rights. */
export type Caller = { actor: ActorId; project: ProjectId; scopes: readonly string[] };

/** Step 1: a bearer token becomes a caller. Nothing is anonymous. */
export function createAuthenticate({
  credentials,
  scopesOf,
}: {
  credentials: Credentials;
  scopesOf(who: { actor: ActorId; project: ProjectId }): readonly string[];
}) {
  return async function authenticate(authorization: string | undefined): Promise<Caller> {
    const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? "") ?? [];
    const who = token === undefined ? undefined : await credentials.find(token);
    if (!who) throw new ToolError("A-AUTH-001");
    return { ...who, scopes: scopesOf(who) };
  };
}
