import { build } from "./build.ts";
import { cached } from "./cached.ts";
import { download } from "./download.ts";
import { givenAddress } from "./given-address.ts";
import { onPath } from "./on-path.ts";
import type { FoundServer, Missed, Way, WayContext } from "./way.ts";

export type Resolved = { server: FoundServer; way: string; where: string };

/** In this order: what the user says, what the user has, what we have, and only then what takes time. */
export const ways: readonly Way[] = [givenAddress, onPath, cached, download, build];

/** Finds a Temporal server by the first way that leads to one, and says which it took. */
export async function resolveTemporal(context: WayContext, order: readonly Way[] = ways): Promise<Resolved> {
  const tried: Tried[] = [];
  for (const way of order) {
    const result = await way.find(context);
    if ("found" in result) return { server: result.found, way: way.name, where: result.where };
    if (way.slow) context.say(`Temporal: ${way.name}: ${result.missed}`);
    tried.push({ way: way.name, ...result });
  }
  throw new Error(noWayLeft(tried));
}

type Tried = Missed & { way: string };

const noWayLeft = (tried: Tried[]): string =>
  [
    "no Temporal server could be found or made. Any one of these helps:",
    ...tried.map(({ way, missed, fix }) => `  - ${way}: ${missed}. Fix: ${fix}.`),
  ].join("\n");
