/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export type JsonObject = { [name: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
