import { harmless } from "../../contract/harmless-text.ts";
import { shortened } from "./fit.ts";

/** A stretch of text that grows up to a most: white space becomes one space, ends of blocks become ends of lines. */
export type Passage = { add(part: string): void; endLine(): void; said(): string; full(): boolean };

export function createPassage(most: number): Passage {
  let text = "";
  return {
    add(part) {
      if (text.length > most) return;
      const plain = part.replaceAll(/\s+/g, " ");
      const more = text === "" || text.endsWith(" ") || text.endsWith("\n") ? plain.trimStart() : plain;
      text += more.slice(0, most + 1 - text.length);
    },
    endLine() {
      if (text !== "" && !text.endsWith("\n") && text.length <= most) text = `${text.trimEnd()}\n`;
    },
    said: () => shortened(notMarkup(harmless(text.trim().toWellFormed())), most),
    full: () => text.length > most,
  };
}

/** Entities may spell a tag; where one could begin, it stays an entity, for those who show text as HTML. */
function notMarkup(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, "&lt;");
}
