import type { Caller } from "../../../gateway/admission/authenticate.ts";
import { createCheckEnvelope, type CheckedCall } from "../../../gateway/admission/check-envelope.ts";
import { Grants } from "../../../toolpacks/contract/grants.ts";
import { ActorId, ProjectId } from "../../../toolpacks/contract/ids.ts";
import { isToolError, type ToolError } from "../../../toolpacks/contract/tool-error.ts";
import { requestOf, type Ask } from "../../kit/request.ts";

export const caller: Caller = {
  actor: ActorId.parse("local"),
  project: ProjectId.parse("default"),
  scopes: ["tools:*", "read"],
};

export const checkEnvelope = createCheckEnvelope({ environment: "dev", clock: Date.now });

export function checkedCall(tool = "artifact_import", input: unknown = {}, ask: Ask = {}): CheckedCall {
  return checkEnvelope(caller, requestOf(tool, input, ask));
}

export const grants = Grants.parse({
  version: 1,
  scopes: { "tools:*": { tools: ["*"], doors: ["*"] }, read: { tools: ["artifact_get"] } },
});

/** The error that an act ends with, as data. */
export function refusal(act: () => unknown): Pick<ToolError, "code" | "details"> {
  try {
    act();
  } catch (error) {
    if (isToolError(error)) return { code: error.code, details: error.details };
    throw error;
  }
  throw new Error("it was not refused");
}

export async function refusalLater(act: () => Promise<unknown>): Promise<Pick<ToolError, "code" | "details">> {
  const settled = await act().then(
    () => () => undefined,
    (error: unknown) => () => {
      throw error;
    },
  );
  return refusal(settled);
}
