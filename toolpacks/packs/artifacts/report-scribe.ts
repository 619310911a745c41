import { createPassage, type Passage } from "./passage.ts";

export type ReportTable = { rows: string[][]; rows_total: number };
export type Report = {
  title: string | null;
  outline: { level: number; text: string }[];
  text: string;
  tables: ReportTable[];
  tablesTotal: number;
  truncated: boolean;
};

const most = { title: 300, headings: 200, heading: 200, text: 12_000, tables: 20, rows: 20, cells: 16, cell: 80 };

const unseen = new Set(
  "script style noscript template svg math iframe noembed noframes object audio video canvas select textarea".split(
    " ",
  ),
);
const blocks = new Set(
  "address article aside blockquote body br dd details div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table td th tr ul".split(
    " ",
  ),
);
const headingLevel = /^h([1-6])$/;

type OpenTable = { rows: Passage[][]; rowsTotal: number; row: Passage[] | undefined; cell: Passage | undefined };

/** Writes down what is worth showing while a parser walks through a report; everything has a most. */
export function createReportScribe() {
  const text = createPassage(most.text);
  const outline: { level: number; passage: Passage }[] = [];
  const tables: OpenTable[] = [];
  const openTables: OpenTable[] = [];
  let tablesTotal = 0;
  let title: Passage | undefined;
  let inTitle = false;
  let heading: Passage | undefined;
  let hidden = 0;

  function say(part: string) {
    if (hidden > 0) return;
    if (inTitle) return title?.add(part);
    heading?.add(part);
    const table = openTables.at(-1);
    if (table) table.cell?.add(part);
    else text.add(part);
  }
  function openTable() {
    const table: OpenTable = { rows: [], rowsTotal: 0, row: undefined, cell: undefined };
    tablesTotal++;
    if (tables.length < most.tables) {
      tables.push(table);
      if (openTables.length === 0) text.add(`[table ${tablesTotal}]`);
    }
    openTables.push(table);
  }
  function openRow(table: OpenTable) {
    table.rowsTotal++;
    table.row = [];
    table.cell = undefined;
    if (table.rows.length < most.rows) table.rows.push(table.row);
  }
  function openCell(table: OpenTable) {
    if (!table.row) openRow(table);
    table.cell = createPassage(most.cell);
    if (table.row && table.row.length < most.cells) table.row.push(table.cell);
  }
  function openHeading(level: number) {
    heading = createPassage(most.heading);
    if (outline.length < most.headings) outline.push({ level, passage: heading });
  }
  return {
    open(name: string) {
      if (unseen.has(name)) hidden++;
      if (hidden > 0) return;
      if (name === "title" && !title) [title, inTitle] = [createPassage(most.title), true];
      const table = openTables.at(-1);
      if (blocks.has(name)) (table?.cell ?? text).endLine();
      const level = headingLevel.exec(name)?.[1];
      if (level !== undefined) openHeading(Number(level));
      if (name === "table") openTable();
      else if (name === "tr" && table) openRow(table);
      else if ((name === "td" || name === "th") && table) openCell(table);
    },
    close(name: string) {
      if (unseen.has(name)) hidden--;
      if (hidden > 0 || unseen.has(name)) return;
      if (name === "title") inTitle = false;
      const table = openTables.at(-1);
      if (name === "table") openTables.pop();
      else if ((name === "td" || name === "th") && table) table.cell = undefined;
      if (headingLevel.test(name)) heading = undefined;
      if (blocks.has(name)) (openTables.at(-1)?.cell ?? text).endLine();
    },
    text: say,
    report: (cutShort: boolean): Report => ({
      title: title?.said() || null,
      outline: outline.map(({ level, passage }) => ({ level, text: passage.said() })).filter((entry) => entry.text),
      text: text.said(),
      tables: tables
        .map((table) => ({
          rows: table.rows.map((row) => row.map((cell) => cell.said())),
          rows_total: table.rowsTotal,
        }))
        .filter(({ rows }) => rows.length > 0),
      tablesTotal,
      truncated: cutShort || text.full() || tablesTotal > most.tables,
    }),
  };
}
