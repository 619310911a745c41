import { z } from "zod";
import { isJsonObject, type JsonObject } from "./json.ts";

/** The JSON Schema (draft 2020-12) of one of our own shapes, without the `$schema` line: it is published inside others. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest }: Record<string, unknown> = z.toJSONSchema(schema, { target: "draft-2020-12" });
  if (!isJsonObject(rest)) throw new Error("a schema is an object");
  return rest;
}
