import { CsvError, parse } from "csv-parse/sync";
import { harmless } from "../../contract/harmless-text.ts";
import { columnTypeOf, type ColumnType } from "./column-type.ts";
import { delimiterOf, type Delimiter } from "./delimiter.ts";
import { shortened } from "./fit.ts";

export type TableLimits = { rows: number; columns: number; cell: number };
export type TableStart = {
  text: string;
  cut: boolean;
  delimiter?: Delimiter | undefined;
  header?: boolean | undefined;
};

export type Table = {
  delimiter: Delimiter;
  header: boolean;
  columns: { name: string; type: ColumnType }[];
  rows: string[][];
  rowsRead: number;
  columnsTotal: number;
  ragged: { row: number; fields: number }[];
  raggedTotal: number;
  /** The rows read are all that there are. */
  whole: boolean;
};

const sampled = 1_000; // rows that types are told from
const raggedNamed = 10;

/** A table as far as it is in memory: columns with their types, the first rows, and which rows have another length. */
export function tableOf(start: TableStart, limits: TableLimits): Table {
  const delimiter = start.delimiter ?? delimiterOf(start.text, start.cut) ?? ",";
  const { records, whole } = recordsOf(start, delimiter, limits);
  const header = start.header ?? looksLikeHeader(records);
  const body = header ? records.slice(1) : records;
  const fields = records[0]?.fields ?? 0;
  const names = records[0]?.cells ?? [];
  const raggedRows = body.flatMap((record, index) =>
    record.fields === fields ? [] : [{ row: index + 1, fields: record.fields }],
  );
  return {
    delimiter,
    header,
    columns: names.map((name, index) => ({
      name: header ? name : `column_${index + 1}`,
      type: columnTypeOf(body.map(({ cells }) => cells[index] ?? "")),
    })),
    rows: body.slice(0, limits.rows).map(({ cells }) => cells),
    rowsRead: body.length,
    columnsTotal: fields,
    ragged: raggedRows.slice(0, raggedNamed),
    raggedTotal: raggedRows.length,
    whole,
  };
}

type ShownRecord = { cells: string[]; fields: number };

function recordsOf({ text, cut }: TableStart, delimiter: Delimiter, limits: TableLimits) {
  const shown = cut ? upToLastLineEnd(text) : text;
  const quoted = parsed(shown, delimiter, limits, true);
  // Where a quote is opened and never closed, quotes are ordinary characters; unless what closes it was cut off.
  const read = quoted.complete || (cut && quoted.records.length > 1) ? quoted : parsed(shown, delimiter, limits, false);
  return { records: read.records, whole: !cut && read.records.length < sampled };
}

function parsed(text: string, delimiter: Delimiter, limits: TableLimits, quotes: boolean) {
  const records: ShownRecord[] = [];
  const keep = (record: string[]) => {
    const cells = record.slice(0, limits.columns).map((cell) => shortened(harmless(cell), limits.cell));
    records.push({ cells, fields: record.length });
    return null; // what is kept is kept here: the parser need not hold it too
  };
  try {
    parse(text, {
      delimiter,
      quote: quotes ? '"' : false,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      to: sampled,
      on_record: keep,
    });
    return { records, complete: true };
  } catch (error) {
    if (error instanceof CsvError) return { records, complete: false };
    throw error;
  }
}

/** The last line was cut, unless it is all there is. */
function upToLastLineEnd(text: string): string {
  const end = text.lastIndexOf("\n");
  return end === -1 ? text : text.slice(0, end + 1);
}

/** A first row of names above rows with at least one value of another kind, or at least names that are all different. */
function looksLikeHeader([first, ...body]: ShownRecord[]): boolean {
  if (!first || body.length === 0) return false;
  const named = first.cells.every((cell) => cell.trim() !== "" && columnTypeOf([cell]) === "text");
  return named && new Set(first.cells).size === first.cells.length;
}
