import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonObject } from "./json.ts";
import type { Violation } from "./tool-error.ts";

/** Where a value breaks a JSON Schema (draft 2020-12): all places at once, none if it conforms. */
export function schemaViolations(schema: JsonObject, value: unknown): Violation[] {
  const validate = validatorOf(schema);
  return validate(value) ? [] : (validate.errors ?? []).map(violationOf);
}

const validators = new WeakMap<JsonObject, ValidateFunction>(); // compiling costs milliseconds, and every call asks
let ajv: Ajv2020 | undefined;

function validatorOf(schema: JsonObject): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  ajv ??= new Ajv2020({ allErrors: true, strict: true, validateFormats: false });
  const made = ajv.compile(schema);
  validators.set(schema, made);
  return made;
}

function violationOf({ instancePath, keyword, params, message }: ErrorObject): Violation {
  const unknown: unknown = params["additionalProperty"];
  const pointer = typeof unknown === "string" ? `${instancePath}/${unknown}` : instancePath;
  return { pointer, rule: keyword, message: message ?? keyword };
}
