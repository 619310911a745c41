export type Bar = { atMost: number } | { atLeast: number };

/** One line of the report. `figure` is what the bar is about: a ratio, or a value of its own. */
export type Row = {
  what: string;
  measured: string;
  yardstick?: string;
  figure: number;
  unit: "x" | "ms" | "s" | "MB";
  bar?: Bar;
  note?: string;
};

/** Whether the figure keeps its bar; a row without one is told for its own sake. */
export function isOver({ figure, bar }: Row): boolean {
  if (!bar) return false;
  return !("atMost" in bar ? figure <= bar.atMost : figure >= bar.atLeast); // a figure that is not a number is over
}

/** The rows of a section as a Markdown table, ready for RESULTS.md. */
export function tableOf(title: string, rows: readonly Row[]): string {
  const head = ["", "measured", "yardstick", "figure", "bar", "", "note"];
  const lines = [head, head.map(() => "---"), ...rows.map(cellsOf)];
  return [`### ${title}`, "", ...lines.map((cells) => `| ${cells.join(" | ")} |`), ""].join("\n");
}

function cellsOf(row: Row): string[] {
  const { what, measured, yardstick = "", figure, unit, bar, note = "" } = row;
  const shown =
    unit === "MB" ? `${figure.toFixed(0)} MB` : unit === "x" ? `${figure.toFixed(2)}x` : `${figure.toFixed(2)} ${unit}`;
  return [
    what,
    measured,
    yardstick,
    shown,
    bar ? barText(bar) : "",
    bar ? (isOver(row) ? "**over**" : "ok") : "",
    note,
  ];
}

const barText = (bar: Bar): string => ("atMost" in bar ? `<= ${bar.atMost}` : `>= ${bar.atLeast}`);
