import { ArtifactType } from "../../contract/ids.ts";

/** Text is what decodes as UTF-8 and holds no NUL; a character cut in two at the end of the head does not count against it. */
export function guessType(head: Uint8Array): ArtifactType {
  return ArtifactType.parse(isText(head) ? "text" : "binary");
}

export function isText(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
