/** Control characters could steer a terminal: they are shown as their pictures (U+2400 …), line ends and tabs stay. */
export function harmless(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (c) => String.fromCodePoint(0x2400 + (c.codePointAt(0) ?? 0)))
    .replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\u2421");
}

/** As `decodedText`, harmless to show. */
export function textOf(head: Uint8Array): string | undefined {
  const text = decodedText(head);
  return text === undefined ? undefined : harmless(text);
}

/** The text of bytes that may have been cut anywhere: a character cut in two is left out. Undefined if it is not text. */
export function decodedText(head: Uint8Array): string | undefined {
  if (head.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
  } catch {
    return undefined;
  }
}
