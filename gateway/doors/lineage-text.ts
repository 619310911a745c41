import type { Lineage } from "./lineage-graph.ts";

/** A lineage for people: one line for each thing that flowed. */
export function lineageAsText({ nodes, edges }: Lineage): string {
  const names = new Map(
    nodes.map((node) => [node.id, `${node.what}${node.state ? ` [${node.state}]` : ""} ${shortOf(node.id)}`]),
  );
  const lines = edges.map(({ from, to, role }) => `${names.get(from) ?? from} --${role}--> ${names.get(to) ?? to}`);
  return lines.length > 0
    ? lines.toSorted().join("\n")
    : `${[...names.values()].join("\n")}\n(nothing is linked to it)`;
}

/** A lineage as a Mermaid flowchart: runs are boxes, artifacts are rounded. */
export function lineageAsMermaid({ nodes, edges }: Lineage): string {
  const boxes = nodes.map(({ id, what, state }) => {
    const label = `"${what}${state ? ` ${state}` : ""}<br/>${shortOf(id)}"`;
    return `  ${shortOf(id)}${id.startsWith("run_") ? `[${label}]` : `(${label})`}`;
  });
  const arrows = edges.map(({ from, to, role }) => `  ${shortOf(from)} -->|"${role}"| ${shortOf(to)}`);
  return ["flowchart LR", ...boxes.toSorted(), ...arrows.toSorted()].join("\n");
}

/** Enough of an id to tell it from its neighbours. */
function shortOf(id: string): string {
  return id.slice(0, 16);
}
