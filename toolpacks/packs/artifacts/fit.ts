/** What an answer may hold, in bytes of JSON; the envelope around it needs some too. */
export const answerBytes = 30_000;

/** As many of the items, from the first, as fit into so many bytes of JSON. */
export function takeWithin<Item>(items: readonly Item[], maxBytes: number): Item[] {
  let bytes = 0;
  const over = items.findIndex((item) => (bytes += jsonBytes(item) + 1) > maxBytes);
  return items.slice(0, over === -1 ? items.length : over);
}

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** A text of at most so many characters, marked where it was cut; never half a character. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
