import type { LineageNode, Link } from "../../ledger/lineage.ts";
import type { Ledger } from "../../ledger/ledger.ts";

/** Runs and artifacts around one of them, and what connects them; edges follow the data. */
export type Lineage = { nodes: LineageNode[]; edges: { from: string; to: string; role: string }[]; complete: boolean };

export type Direction = "up" | "down" | "both";
type Question = { project: string; start: string; direction: Direction; depth: number };
type Steps = Pick<Ledger, "linksUp" | "linksDown" | "describeNodes">;

const maxNodes = 300; // what still fits an answer, and a picture that can be read

/** Walks level by level; `depth` counts runs. Stops, and says so, when there is more than can be shown. */
export async function lineageOf(ledger: Steps, { project, start, direction, depth }: Question): Promise<Lineage> {
  const links = new Map<string, Link>();
  const seen = new Set([start]);
  const ways = direction === "both" ? (["up", "down"] as const) : [direction];
  let complete = true;
  for (const way of ways) complete = (await walk(way)) && complete;

  const { runIds, artifactIds } = sorted([...seen]);
  const nodes = await ledger.describeNodes({ project, runIds, artifactIds });
  return { nodes, edges: [...links.values()].map(edgeOf), complete };

  async function walk(way: "up" | "down"): Promise<boolean> {
    let level = [start];
    for (let step = 0; step < depth * 2 && level.length > 0; step++) {
      const ids = { project, ...sorted(level) };
      const found = await (way === "up" ? ledger.linksUp(ids) : ledger.linksDown(ids));
      for (const link of found) links.set(`${link.kind} ${link.runId} ${link.artifactId} ${link.role}`, link);
      const next = new Set(found.flatMap(({ runId, artifactId }) => [runId, artifactId]).filter((id) => !seen.has(id)));
      if (seen.size + next.size > maxNodes) return false;
      for (const id of next) seen.add(id);
      level = [...next];
    }
    return level.length === 0;
  }
}

function sorted(ids: string[]): { runIds: string[]; artifactIds: string[] } {
  return { runIds: ids.filter((id) => id.startsWith("run_")), artifactIds: ids.filter((id) => id.startsWith("art_")) };
}

function edgeOf({ kind, runId, artifactId, role }: Link): Lineage["edges"][number] {
  return kind === "input" ? { from: artifactId, to: runId, role } : { from: runId, to: artifactId, role };
}
