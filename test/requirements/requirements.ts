import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Requirement = {
  readonly number: string;
  readonly document: string;
  readonly text: string;
  /** What it binds, where that is not the product: the tests, the way of working, or nobody (recommended). */
  readonly mark: string | undefined;
  /** What we decided where the document was silent or disagreed with itself. */
  readonly decided: string | undefined;
};

/** All that the source documents ask, in their order, read from `requirements.txt`. */
export function requirements(): Requirement[] {
  const lines = readFileSync(join(import.meta.dirname, "requirements.txt"), "utf8").split("\n");
  const found: Requirement[] = [];
  let document = "";
  for (const line of lines) {
    if (line.startsWith("## ")) document = line.slice(3);
    const requirement = requirementOf(line, document);
    if (requirement) found.push(requirement);
  }
  return found;
}

function requirementOf(line: string, document: string): Requirement | undefined {
  const match = /^([TSACW]\d+) (?:\[(test|proc|rec)\] )?(.*?)(?: \[decided: (.*)\])?$/.exec(line);
  const [, number, mark, text, decided] = match ?? [];
  return number && text ? { number, document, text, mark, decided } : undefined;
}
