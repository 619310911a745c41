import type { z } from "zod";

import type { Violation } from "../../toolpacks/contract/tool-error.ts";
import { violationsOfZod } from "../../toolpacks/contract/zod-violations.ts";
import { ConfigurationError, type Fault } from "./configuration-error.ts";

type Finding = { pointer: string; message: string; fix: string };
type Check<Schema extends z.ZodType> = {
  schema: Schema;
  value: unknown;
  placeOf: (pointer: string) => string;
  /** What was wrong before the schema was asked: what it says about the same values does not help. */
  found?: Finding[];
};

/** The value as its schema has it, or a ConfigurationError with everything that is wrong. */
export function checkConfiguration<Schema extends z.ZodType>(check: Check<Schema>): z.infer<Schema> {
  const { schema, value, placeOf, found = [] } = check;
  const parsed = schema.safeParse(value);
  const violations = parsed.success ? [] : violationsOfZod(parsed.error, schema);
  const others = violations.filter(({ pointer }) => !found.some((finding) => finding.pointer === pointer));
  const findings = [...found, ...others.map(findingOf)];
  if (!parsed.success || findings.length > 0) throw new ConfigurationError(findings.map(faultOf));
  return parsed.data;

  function faultOf({ pointer, message, fix }: Finding): Fault {
    return { place: placeOf(pointer), message: `${pointer || "the file"}: ${message}`, fix };
  }
}

function findingOf({ pointer, rule, message }: Violation): Finding {
  const fix =
    rule === "required" ? "Add it." : rule === "unknown_name" ? "Correct or remove it." : "Correct the value.";
  return { pointer, message: /[.?]$/.test(message) ? message : `${message}.`, fix };
}
