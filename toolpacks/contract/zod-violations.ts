import { z } from "zod";

import { pointerOf } from "./json-pointer.ts";
import { nearestName } from "./nearest-name.ts";
import type { Violation } from "./tool-error.ts";

type Issue = z.core.$ZodIssue;
type Path = PropertyKey[];

/** All that zod found, one violation per fault. With the schema at hand, an unknown name comes with the nearest known one. */
export function violationsOfZod(error: z.ZodError, schema?: z.ZodType): Violation[] {
  return error.issues.flatMap((issue) => violationsOfIssue(issue, [], schema));
}

function violationsOfIssue(issue: Issue, parent: Path, schema: z.ZodType | undefined): Violation[] {
  const path = [...parent, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => unknownName(path, key, knownNamesAt(schema, path)));
  if (issue.code === "invalid_union") return unionViolations(issue, path, schema);
  if (isMissing(issue)) return [{ pointer: pointerOf(path), rule: "required", message: "is required" }];
  return [{ pointer: pointerOf(path), rule: issue.code, message: issue.message }];
}

function unknownName(path: Path, key: string, known: string[]): Violation {
  const hint = nearestName(key, known);
  const message = hint === undefined ? "is not a known name" : `is not a known name; did you mean "${hint}"?`;
  return { pointer: pointerOf([...path, key]), rule: "unknown_name", message };
}

/** If one branch alone was meant, as the others fail at the root, its faults are the ones that help. */
function unionViolations(issue: z.core.$ZodIssueInvalidUnion, path: Path, schema: z.ZodType | undefined): Violation[] {
  const meant = issue.errors.filter((branch) => branch.every((fault) => fault.path.length > 0));
  if (meant.length === 1 && meant[0]) return meant[0].flatMap((fault) => violationsOfIssue(fault, path, schema));
  return [{ pointer: pointerOf(path), rule: issue.code, message: issue.message }];
}

function isMissing(issue: Issue): boolean {
  return issue.code === "invalid_type" && issue.message.endsWith("received undefined");
}

function knownNamesAt(schema: z.core.$ZodType | undefined, path: Path): string[] {
  const here = unwrapped(schema);
  const [step, ...rest] = path;
  if (step === undefined) return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
  if (here instanceof z.ZodObject) return knownNamesAt(memberOf(here, String(step)), rest);
  if (here instanceof z.ZodArray) return knownNamesAt(here.element, rest);
  if (here instanceof z.ZodRecord) return knownNamesAt(here.valueType, rest);
  return [];
}

function memberOf({ shape }: z.ZodObject<Record<string, z.core.$ZodType>>, name: string): z.core.$ZodType | undefined {
  return Object.hasOwn(shape, name) ? shape[name] : undefined;
}

function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodPrefault
  )
    return unwrapped(schema.unwrap());
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema;
}
