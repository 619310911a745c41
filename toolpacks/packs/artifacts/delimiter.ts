export type Delimiter = "," | ";" | "\t" | "|";

/**
 * What separates the fields of a table: the character that divides every line into the same number of fields, at least two.
 * Undefined for what is no table. Lines that start with # are remarks; a last line that was cut does not count.
 */
export function delimiterOf(text: string, cut: boolean): Delimiter | undefined {
  return candidates.find((delimiter) => isTable(text, cut, delimiter));
}

const candidates: readonly Delimiter[] = ["\t", ",", ";", "|"];

function isTable(text: string, cut: boolean, delimiter: Delimiter): boolean {
  const counts = fieldCounts(text, cut, delimiter);
  const [first = 0] = counts;
  if (counts.length < 2 || first < 2 || counts.some((count) => count !== first)) return false;
  return delimiter === "\t" || !everyOneIsFollowedByASpace(text, delimiter); // prose has commas too
}

function everyOneIsFollowedByASpace(text: string, delimiter: Delimiter): boolean {
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + 1))
    if (!/\s/.test(text[at + 1] ?? " ")) return false;
  return true;
}

/** Fields in each record; delimiters and line ends within quotes are content. */
function fieldCounts(text: string, cut: boolean, delimiter: Delimiter): number[] {
  const counts: number[] = [];
  let fields = 1;
  let begin = 0;
  let quoted = false;
  const endRecord = (at: number) => {
    if (text.slice(begin, at).trim() !== "" && text[begin] !== "#") counts.push(fields);
    fields = 1;
    begin = at + 1;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === delimiter) fields++;
    else if (character === "\n") endRecord(at);
  }
  if (!cut) endRecord(text.length);
  return counts;
}
