import type { Citation } from "./citations.ts";
import type { Requirement } from "./requirements.ts";

export type Coverage = { readonly covered: Requirement[]; readonly missing: Requirement[]; readonly unknown: string[] };

/** Which requirements some test cites, which none does, and which citations lead nowhere. */
export function coverageOf(requirements: readonly Requirement[], citations: readonly Citation[]): Coverage {
  const cited = new Set(citations.flatMap(({ numbers }) => numbers));
  const known = new Set(requirements.map(({ number }) => number));
  return {
    covered: requirements.filter(({ number }) => cited.has(number)),
    missing: requirements.filter(({ number }) => !cited.has(number)),
    unknown: citations.flatMap(({ path, numbers }) =>
      numbers.filter((number) => !known.has(number)).map((number) => `${path}: ${number}`),
    ),
  };
}
