import type { Json } from "./json.ts";
import { deepestNesting, keepsItsValue, losslessViolations } from "./lossless-json.ts";
import { ToolError, type Violation } from "./tool-error.ts";

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A request's JSON, or `I-REQ-001` with every place where reading it would lose or change something: what is parsed is
 * what was sent, or it is refused (A14).
 *
 * On the way of every call, so the ordinary text takes the native parser and one scan; whatever looks odd there is read
 * again by the strict checker, which decides. Measured against bare JSON.parse on the same loaded machine: a call of
 * 1 KiB 1.5x (6 µs for 4), 64 KiB of inline text 1.1x (45 µs for 40), 64 KiB of small records 2.2x (0.8 ms for 0.35).
 */
export function parseJson(source: string | Uint8Array): Json {
  const { text, faults } = decoded(source);
  const parsed = nativelyParsed(text);
  if (parsed && faults.length === 0 && isOrdinary(text, parsed.value)) return parsed.value;

  const violations = [...faults, ...losslessViolations(text)];
  if (violations.length > 0)
    throw new ToolError("I-REQ-001", { message: "The request is not lossless JSON.", details: { violations } });
  if (!parsed) throw new ToolError("I-REQ-001", { message: "The request is not JSON." });
  return parsed.value;
}

function decoded(source: string | Uint8Array): { text: string; faults: Violation[] } {
  if (typeof source === "string") return { text: source, faults: [] };
  try {
    return { text: strictUtf8.decode(source), faults: [] };
  } catch {
    const fault = { pointer: "", rule: "utf-8", message: "the bytes are not UTF-8" };
    return { text: lenientUtf8.decode(source), faults: [fault] }; // read on, to name the other faults too
  }
}

function nativelyParsed(text: string): { value: Json } | undefined {
  try {
    return { value: parseText(text) };
  } catch {
    return undefined;
  }
}

/** Whether nothing can have been lost. May say no to a good text, never yes to a bad one. */
function isOrdinary(text: string, value: Json): boolean {
  if (!text.isWellFormed()) return false;
  if (text.includes("\\u") && /\\u(?:0000|[dD][89a-fA-F])/.test(text)) return false; // U+0000 or a surrogate, escaped
  return membersWritten(text) === membersKept(value, 1);
}

/** Counts the members of all objects in the text; undefined if one of its numbers is in doubt. The text is known to parse. */
function membersWritten(text: string): number | undefined {
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === colon) members++;
    else if (isNumberStart(code)) {
      const end = endOfNumber(text, at);
      if (end < 0 || (end - at > surelyExact && !keepsItsValue(text.slice(at, end)))) return undefined;
      at = end - 1;
    }
  }
  return members;
}

/** A name written twice is kept once: fewer members kept than written. NaN, which equals nothing, if nested too deep. */
function membersKept(value: Json, depth: number): number {
  if (value === null || typeof value !== "object") return 0;
  if (depth > deepestNesting) return Number.NaN;
  let members = 0;
  if (Array.isArray(value)) for (const part of value) members += membersKept(part, depth + 1);
  // for-in: four times as fast as Object.values; a polluted prototype would only send us to the strict checker
  else for (const name in value) members += 1 + membersKept(value[name] ?? null, depth + 1);
  return members;
}

const parseText: (text: string) => Json = JSON.parse; // what it returns is what Json means

const quote = 34;
const backslash = 92;
const colon = 58;
const surelyExact = 15; // characters: a decimal of up to 15 digits always comes back from a double

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === backslash) before--;
  return (at - before) % 2 === 1;
}

function isNumberStart(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 45;
}

/** Where the number that begins here ends; -1 if it has an exponent, which is rare, and not always kept. */
function endOfNumber(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if ((code >= 48 && code <= 57) || code === 46) continue;
    return code === 101 || code === 69 ? -1 : at;
  }
}
