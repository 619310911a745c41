import { answerSchemaFor, type Answer } from "../../toolpacks/contract/envelope.ts";
import type { Grants } from "../../toolpacks/contract/grants.ts";
import { mayCall } from "../../toolpacks/contract/may-run.ts";
import type { JsonObject } from "../../toolpacks/contract/json.ts";
import { jsonSchemaOf } from "../../toolpacks/contract/json-schema.ts";
import { storedErrorOf } from "../../toolpacks/contract/stored-error.ts";
import { isToolError, ToolError } from "../../toolpacks/contract/tool-error.ts";
import { violationsOfZod } from "../../toolpacks/contract/zod-violations.ts";
import type { Caller } from "../admission/authenticate.ts";
import { answerOf, askedOf, type Said } from "../answer.ts";
import type { Door, DoorDeps } from "./door.ts";
import { runCancel } from "./run-cancel.ts";
import { runGet } from "./run-get.ts";
import { runLineage } from "./run-lineage.ts";
import { runList } from "./run-list.ts";
import { runWait } from "./run-wait.ts";

const version = "1.0.0";

export type DoorListing = {
  name: string;
  title: string;
  description: string;
  readOnly: boolean;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
};

export type Doors = {
  list(): DoorListing[];
  /** Undefined when there is no door of that name. */
  open(name: string, caller: Caller, input: unknown): Promise<Answer> | undefined;
};

type Deps = DoorDeps & { grants(): Grants; clock(): number; onFault(error: unknown): void };

/** The doors answer with the same envelope as runs do. */
export function createDoors(deps: Deps): Doors {
  const hang = <Input>(door: Door<Input>) => ({
    listing: listingOf(door),
    open: (caller: Caller, input: unknown) => answer(deps, door, caller, input),
  });
  const doors = [hang(runCancel), hang(runGet), hang(runLineage), hang(runList), hang(runWait)];
  return {
    list: () => doors.map(({ listing }) => listing),
    open: (name, caller, input) => doors.find(({ listing }) => listing.name === name)?.open(caller, input),
  };
}

async function answer<Input>(deps: Deps, door: Door<Input>, caller: Caller, input: unknown): Promise<Answer> {
  const asked = askedOf({ tool_id: door.name, tool_version: version }, deps.clock());
  const gate = (ownedBy?: string) => {
    const decision = mayCall(deps.grants(), caller, { door: door.name, ownedBy });
    if (!decision.allowed) throw new ToolError("A-AUTH-003", { details: { reasons: decision.reasons } });
  };
  try {
    gate();
    const parsed = door.input.safeParse(input);
    if (!parsed.success) throw new ToolError("I-REQ-001", { details: { violations: violationsOfZod(parsed.error) } });
    const opened = await door.open(deps, caller, parsed.data, gate);
    const said: Said =
      opened.kind === "output" ? opened : { ...opened, next: `Call run_wait again with {"run_id":"${opened.runId}"}.` };
    return answerOf(asked, said, deps.clock());
  } catch (error) {
    if (!isToolError(error)) deps.onFault(error);
    const refusal = isToolError(error) ? error : new ToolError("S-TOOL-INTERNAL", { cause: error });
    return answerOf(asked, { kind: "error", error: storedErrorOf(refusal) }, deps.clock());
  }
}

function listingOf<Input>({ name, title, description, input, output, readOnly }: Door<Input>): DoorListing {
  const outputSchema = answerSchemaFor(jsonSchemaOf(output));
  return { name, title, description, readOnly, inputSchema: jsonSchemaOf(input), outputSchema };
}
