import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Installation } from "../kit/installation.ts";
import { eventually } from "../cli/kit.ts";
import { patientCall, type Settled } from "./patient-call.ts";

export type Import = { arguments: Record<string, string>; sha256: string };
export type Acknowledged = { wanted: Import; answer: Settled; seconds: number };

/**
 * That many imports with contents of their own: every third is a file in the inbox of up to 300 kB, the others come
 * with the call; every tenth is asked for twice.
 */
export async function prepareImports({ inbox }: Installation, round: string, count: number): Promise<Import[]> {
  const numbers = Array.from({ length: count }, (_, n) => (n % 10 === 9 ? n - 1 : n));
  return Promise.all(
    numbers.map((n) => (n % 3 === 0 ? fileImport(inbox, `${round}-${n}`, n) : inlineImport(`${round}-${n}`, n))),
  );
}

async function fileImport(inbox: string, name: string, n: number): Promise<Import> {
  const content = contentOf(name, 1 + (n % 7) * 50_000);
  await writeFile(join(inbox, `${name}.txt`), content);
  return { arguments: { path: `${name}.txt` }, sha256: sha256Of(content) };
}

async function inlineImport(name: string, n: number): Promise<Import> {
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
      const begun = performance.now();
      const answer = await patientCall(gateway, { name: "artifact_import", arguments: wanted.arguments });
      acknowledged.push({ wanted, answer, seconds: (performance.now() - begun) / 1000 });
    }
  };
  const all = Promise.all(Array.from({ length: callers }, caller)).then(() => acknowledged);
  all.catch(() => undefined); // whoever waits for it sees it
  return {
    all,
    soFar: () => [...acknowledged],
    /** Resolves when that many have been acknowledged: the rest is under way. */
    acknowledged: (count: number) =>
      Promise.race([eventually(() => acknowledged.length >= count), all.then(() => true)]),
  };
}

/** Those that get another answer than before when they are asked for once more, or one that is not a replay. */
export async function answeredOtherwise(
  { gateway }: Installation,
  acknowledged: Acknowledged[],
): Promise<Acknowledged[]> {
  const changed: Acknowledged[] = [];
  for (const { wanted, answer, seconds } of acknowledged) {
    const again = await patientCall(gateway, { name: "artifact_import", arguments: wanted.arguments });
    const isSame =
      again.run_id === answer.run_id &&
      again.provenance.replayed &&
      isDeepStrictEqual(outputIn(again), outputIn(answer));
    if (!isSame) changed.push({ wanted, answer: again, seconds });
  }
  return changed;
}

const outputIn = (answer: Settled): unknown => (answer.status === "success" ? answer.output : undefined);

/** How long the caller waited who waited longest, with all its repeats. */
export const longestWaitOf = (acknowledged: Acknowledged[]): number =>
  Math.max(...acknowledged.map(({ seconds }) => seconds));
