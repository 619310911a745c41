import { pointerOf } from "./json-pointer.ts";
import type { Violation } from "./tool-error.ts";

// Deeper values would overflow the stack of whoever walks them next; requests are held to 64 (parse-json.ts).
const deepest = 256;

/** Every reason why a value cannot be written as JSON without loss (T16); empty for a JSON-safe one. */
export function jsonSafetyViolations(value: unknown): Violation[] {
  const violations: Violation[] = [];
  const path: PropertyKey[] = [];
  const open = new Set<object>();
  check(value);
  return violations;

  function check(part: unknown): void {
    if (part === null || typeof part === "boolean") return;
    if (typeof part === "string")
      return part.isWellFormed() ? undefined : refuse("lone-surrogate", "text holds half of a surrogate pair");
    if (typeof part === "number")
      return Number.isFinite(part) ? undefined : refuse("non-finite", `${part} is not a JSON number`);
    if (typeof part !== "object") return refuse(typeof part, `${typeof part} is not a JSON value`);
    checkObject(part);
  }

  function checkObject(part: object): void {
    if (open.has(part)) return refuse("cycle", "the value contains itself");
    if (path.length >= deepest) return refuse("depth", `nested deeper than ${deepest}`);
    open.add(part);
    if (Array.isArray(part)) checkArray(part);
    else checkRecord(part);
    open.delete(part);
  }

  function checkArray(list: unknown[]): void {
    if (!isPlainArray(list)) return refuse("class-instance", "an object of a class is not JSON");
    for (let index = 0; index < list.length; index++) {
      if (Object.hasOwn(list, index)) checkMember(list, index);
      else within(index, () => refuse("sparse-array", "the array has a hole here"));
    }
    const names = Reflect.ownKeys(list);
    if (names.length <= list.length + 1) return; // the indices and "length"
    for (const name of names)
      if (!isIndex(name, list)) within(name, () => refuse("array-property", "an array has no named members"));
  }

  function checkRecord(record: object): void {
    if (!isPlainObject(record)) return refuse("class-instance", "an object of a class is not JSON");
    for (const name of Reflect.ownKeys(record)) {
      if (typeof name === "symbol") within(name, () => refuse("symbol-name", "a member's name must be text"));
      else checkMember(record, name);
    }
  }

  function checkMember(holder: object, name: string | number): void {
    const member = Object.getOwnPropertyDescriptor(holder, name);
    path.push(name);
    if (typeof name === "string" && !name.isWellFormed())
      refuse("lone-surrogate", "the name holds half of a surrogate pair");
    if (!member || !("value" in member)) refuse("accessor", "a computed member may differ at every reading");
    else if (!member.enumerable) refuse("hidden-member", "a member that is not enumerable would be lost");
    else check(member.value);
    path.pop();
  }

  function within(name: PropertyKey, act: () => void): void {
    path.push(name);
    act();
    path.pop();
  }

  function refuse(rule: string, message: string): void {
    violations.push({ pointer: pointerOf(path), rule, message });
  }
}

// By shape, not by identity: a workflow's values have the prototypes of its sandbox.
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || isRootPrototype(prototype);
}

function isPlainArray(value: unknown[]): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(prototype) && isRootPrototype(Object.getPrototypeOf(prototype));
}

function isRootPrototype(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === null &&
    Object.hasOwn(value, "isPrototypeOf")
  );
}

function isIndex(name: PropertyKey, list: unknown[]): boolean {
  return name === "length" || (typeof name === "string" && /^(?:0|[1-9]\d*)$/.test(name) && Number(name) < list.length);
}
