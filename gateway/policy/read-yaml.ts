import { readFile } from "node:fs/promises";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, visit, type Document } from "yaml";

import { ConfigurationError, type Fault } from "./configuration-error.ts";

/** A YAML file as plain values, and the place of each of them: `placeOf("/tools/allow")` is `…/policy.yaml:4`. */
export type YamlFile = { value: unknown; placeOf: (pointer: string) => string };

/** Reads one YAML 1.2 document; undefined if there is no such file. Throws ConfigurationError with all its faults. */
export async function readYaml(path: string): Promise<YamlFile | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { version: "1.2", schema: "core", merge: false, lineCounter: lines });
  if ("empty" in documents) return { value: null, placeOf: () => `${path}:1` };

  const placeAt = (offset: number) => `${path}:${lines.linePos(offset).line}`;
  const faults = documents.flatMap((document) => [...grammarFaults(document, placeAt), ...refusals(document, placeAt)]);
  const [document, second] = documents;
  if (second)
    faults.push(fault(placeAt(second.range[0]), "there is a second document.", "Keep one document in the file."));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return { value: document?.toJS(), placeOf: (pointer) => placeAt(offsetOf(document?.contents ?? null, pointer)) };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(
      [fault(path, `cannot be read: ${reason}.`, "Make it a readable file in UTF-8.")],
      error,
    );
  }
}

type PlaceAt = (offset: number) => string;

function grammarFaults(document: Document.Parsed, placeAt: PlaceAt): Fault[] {
  return [...document.errors, ...document.warnings].map(({ message, pos }) =>
    fault(placeAt(pos[0]), `${message.split(" at line ")[0]?.replace(/\.?$/, ".")}`, "Correct the YAML."),
  );
}

/** What YAML permits and we do not: an alias lets a small file grow without bounds, and `__proto__` would be lost. */
function refusals(document: Document.Parsed, placeAt: PlaceAt): Fault[] {
  const faults: Fault[] = [];
  visit(document, {
    Alias: (_key, { range, source }) =>
      void faults.push(fault(placeAt(range?.[0] ?? 0), `alias *${source} is not allowed.`, "Write the value out.")),
    Pair: (_key, { key }) => {
      if (isScalar(key) && key.value === "__proto__")
        faults.push(fault(placeAt(key.range?.[0] ?? 0), '"__proto__" is not allowed as a name.', "Use another name."));
    },
  });
  return faults;
}

/** Where the value, or the name it goes by, begins; of what is not there, where its parent does. */
function offsetOf(root: Node | null, pointer: string): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const step of stepsOf(pointer)) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step) : undefined;
    node = isSeq(node) ? node.items[Number(step)] : pair?.value;
    offset = startOf(pair?.key) ?? startOf(node) ?? offset;
  }
  return offset;
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function startOf(node: unknown): number | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) ? node.range?.[0] : undefined;
}

function fault(place: string, message: string, fix: string): Fault {
  return { place, message, fix };
}
