import { pointerOf } from "./json-pointer.ts";
import type { Violation } from "./tool-error.ts";

/** Containers within containers that a request may have. */
export const deepestNesting = 64;

const mostViolations = 1_000; // a small request of nothing but faults must not become a huge answer

/** Every place where reading the text as JSON would lose or change something, up to the first break of the grammar. */
export function losslessViolations(text: string): Violation[] {
  const violations: Violation[] = [];
  const path: (string | number)[] = [];
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  const word = /true|false|null/y;
  const space = /[ \t\n\r]*/y;
  let at = 0;

  try {
    readValue();
    if (peek() !== "") unexpected();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // ours: the text cannot be followed any further
  }
  return violations;

  function readValue(): void {
    const next = peek();
    if (next === "{") readContainer("}", readMember);
    else if (next === "[") readContainer("]", readElement);
    else if (next === '"') checkText(readString());
    else if (next === "-" || (next >= "0" && next <= "9")) readNumber();
    else if (taken(word) === undefined) unexpected();
  }

  function readContainer(close: string, readPart: (index: number, names: Set<string>) => void): void {
    if (path.length >= deepestNesting) halt("depth", `nested deeper than ${deepestNesting}`);
    const names = new Set<string>();
    at++;
    if (peek() === close) return void at++;
    for (let index = 0; ; index++) {
      readPart(index, names);
      path.pop();
      const next = peek();
      if (next !== "," && next !== close) unexpected();
      at++;
      if (next === close) return;
    }
  }

  function readElement(index: number): void {
    path.push(index);
    readValue();
  }

  function readMember(_index: number, names: Set<string>): void {
    if (peek() !== '"') unexpected();
    const name = readString();
    path.push(name);
    if (names.has(name)) refuse("duplicate-key", "the name occurs twice in its object");
    names.add(name);
    checkText(name);
    if (peek() !== ":") unexpected();
    at++;
    readValue();
  }

  function readString(): string {
    const start = at++;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    if (at >= text.length) halt("syntax", `the text that begins ${placeOf(text, start)} has no end`);
    at++;
    try {
      return String(JSON.parse(text.slice(start, at)));
    } catch {
      return halt("syntax", `the text that begins ${placeOf(text, start)} holds a bad escape or a control character`);
    }
  }

  function checkText(content: string): void {
    if (!content.isWellFormed()) refuse("lone-surrogate", "text holds half of a surrogate pair");
    if (content.includes("\0")) refuse("null-character", "text holds U+0000");
  }

  function readNumber(): void {
    const literal = taken(number) ?? unexpected();
    if (keepsItsValue(literal)) return;
    if (isInteger(literal)) refuse("unsafe-integer", "the integer is beyond 2^53-1; send it as text");
    else refuse("inexact-number", "the number has no exact double; send fewer digits, or text");
  }

  function peek(): string {
    taken(space);
    return text.charAt(at);
  }

  function taken(token: RegExp): string | undefined {
    token.lastIndex = at;
    const [match] = token.exec(text) ?? [];
    at += match?.length ?? 0;
    return match;
  }

  function unexpected(): never {
    const found = at < text.length ? `unexpected ${JSON.stringify(text.charAt(at))}` : "unexpected end";
    return halt("syntax", `${found} ${placeOf(text, at)}`);
  }

  function refuse(rule: string, message: string): void {
    if (violations.length >= mostViolations) halt("more", "there are more violations than are listed");
    violations.push({ pointer: pointerOf(path), rule, message });
  }

  function halt(rule: string, message: string): never {
    violations.push({ pointer: pointerOf(path), rule, message });
    throw new SyntaxError(message);
  }
}

/** Whether a JSON number comes back from a double as the same decimal. Integers beyond 2^53-1 never count as such. */
export function keepsItsValue(literal: string): boolean {
  const value = Number(literal);
  if (isInteger(literal)) return Number.isSafeInteger(value);
  const shortest = String(value);
  return shortest === literal || (Number.isFinite(value) && decimalOf(shortest) === decimalOf(literal));
}

function isInteger(literal: string): boolean {
  return /^-?\d+$/.test(literal);
}

/** One spelling per decimal value: 1.50, 15e-1 and 0.15E+1 are all 15e-1. */
function decimalOf(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.slice(0, lengthWithoutZeros(digits));
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`;
}

// Not by /0+$/: on a long row of zeros that is not at the end it would take quadratic time.
function lengthWithoutZeros(digits: string): number {
  let length = digits.length;
  while (length > 0 && digits[length - 1] === "0") length--;
  return length;
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
