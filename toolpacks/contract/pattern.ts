/** Whether a name fits a pattern in which `*` stands for any text, also none: `artifact_*`. Nothing else is special. */
export function matches(pattern: string, name: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return pattern === name;
  if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false;

  // Between head and tail each piece is taken where it first occurs; a regular expression could be made to backtrack.
  let at = head.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - tail.length;
}
