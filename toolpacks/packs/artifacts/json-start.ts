/** Whether a text is a JSON object or array; of one that was cut, whether it could be the start of such. */
export function startsAsJson(text: string, cut: boolean): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  return cut ? isStart(text) : isJson(text);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const token =
  /\s*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end";

/** Walks the tokens with a stack of what is open; ends well when what is left is no whole token any more. */
function isStart(text: string): boolean {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found || token.lastIndex === text.length) return found !== null || isCutToken(text.slice(at).trimStart());
    at = token.lastIndex;
    const next = after(expected, kindOf(found), open);
    if (next === undefined) return false;
    expected = next;
  }
}

type Kind = "{" | "}" | "[" | "]" | "," | ":" | "string" | "other";

function kindOf([, mark, string]: RegExpExecArray): Kind {
  if (mark !== undefined) return mark as Kind; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the pattern names them
  return string === undefined ? "other" : "string";
}

function after(expected: Expected, kind: Kind, open: string[]): Expected | undefined {
  if (kind === ":") return expected === "colon" ? "value" : undefined;
  if (kind === ",") {
    if (expected !== "comma or end" || open.length === 0) return undefined;
    return open.at(-1) === "{" ? "name" : "value";
  }
  if (kind === "}" || kind === "]") {
    const mayEnd = expected === "comma or end" || expected === (kind === "}" ? "name or end" : "value or end");
    return mayEnd && open.pop() === (kind === "}" ? "{" : "[") ? "comma or end" : undefined;
  }
  if (expected === "name" || expected === "name or end") return kind === "string" ? "colon" : undefined;
  if (expected !== "value" && expected !== "value or end") return undefined;
  if (kind === "{" || kind === "[") open.push(kind);
  return kind === "{" ? "name or end" : kind === "[" ? "value or end" : "comma or end";
}

function isCutToken(rest: string): boolean {
  return rest === "" || /^"[^"]*(?:\\"[^"]*)*$/.test(rest) || /^-?[\d.eE+-]*$/.test(rest) || isWordStart(rest);
}

function isWordStart(rest: string): boolean {
  return ["true", "false", "null"].some((word) => word.startsWith(rest));
}
