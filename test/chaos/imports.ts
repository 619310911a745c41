import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Installation } from "../kit/installation.ts";
import { eventually } from "../cli/kit.ts";
import { patientCall, type Settled } from "./patient-call.ts";

export type Import = { arguments: Record<string, string>; sha256: string };
export type Acknowledged = { wanted: Import; answer: Settled };

/**
 * That many imports with contents of their own: every third is a file in the inbox of up to a megabyte, the others come
 * with the call; every tenth is asked for twice.
 */
export async function prepareImports({ inbox }: Installation, round: string, count: number): Promise<Import[]> {
  const numbers = Array.from({ length: count }, (_, n) => (n % 10 === 9 ? n - 1 : n));
  return Promise.all(
    numbers.map((n) => (n % 3 === 0 ? fileImport(inbox, `${round}-${n}`, n) : inlineImport(`${round}-${n}`, n))),
  );
}

async function fileImport(inbox: string, name: string, n: number): Promise<Import> {
  const content = contentOf(name, 1 + (n % 7) * 150_000);
  await writeFile(join(inbox, `${name}.txt`), content);
  return { arguments: { path: `${name}.txt` }, sha256: sha256Of(content) };
}

function inlineImport(name: string, n: number): Import {
  const content = contentOf(name, 1 + (n % 5) * 10_000);
  return { arguments: { content }, sha256: sha256Of(content) };
}

const contentOf = (name: string, bytes: number): string => `${name}\n`.repeat(Math.ceil(bytes / (name.length + 1)));

const sha256Of = (content: string): string => createHash("sha256").update(content).digest("hex");

/** Sends all of them, so many callers at a time. */
export function sendImports({ gateway }: Installation, imports: Import[], callers: number) {
  const waiting = imports.values();
  const acknowledged: Acknowledged[] = [];
  const caller = async () => {
    for (const wanted of waiting) {
      const answer = await patientCall(gateway, { name: "artifact_import", arguments: wanted.arguments });
      acknowledged.push({ wanted, answer });
    }
  };
  const all = Promise.all(Array.from({ length: callers }, caller)).then(() => acknowledged);
  all.catch(() => undefined); // whoever waits for it sees it
  return {
    all,
    /** Resolves when that many have been acknowledged: the rest is under way. */
    acknowledged: (count: number) =>
      Promise.race([eventually(() => acknowledged.length >= count), all.then(() => true)]),
  };
}
