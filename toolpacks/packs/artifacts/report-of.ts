import { setImmediate as breathe } from "node:timers/promises";
import { Parser } from "htmlparser2";
import { createReportScribe, type Report } from "./report-scribe.ts";

const stride = 65_536;
const deepest = 256; // the parser searches all open tags at every closing one; reports stay far below this

/**
 * Title, headings, text and tables of an HTML report. Read in strides, so that others get their turn; what a browser would
 * run or hide (scripts, styles, attributes, comments) is never looked at.
 */
export async function reportOf(html: string, signal: AbortSignal): Promise<Report> {
  const scribe = createReportScribe();
  const nesting = { depth: 0, tooDeep: false };
  // No `onopentag`: the parser then does not collect attributes, of which there may be millions.
  const parser = new Parser({
    onopentagname(name) {
      nesting.depth++;
      if (nesting.depth > deepest) {
        nesting.tooDeep = true;
        parser.pause();
      } else scribe.open(name);
    },
    onclosetag(name) {
      nesting.depth--;
      if (!nesting.tooDeep) scribe.close(name);
    },
    ontext: (text) => scribe.text(text),
  });
  for (let at = 0; at < html.length && !nesting.tooDeep; at += stride) {
    signal.throwIfAborted();
    parser.write(html.slice(at, at + stride));
    await breathe();
  }
  if (!nesting.tooDeep) parser.end();
  return scribe.report(nesting.tooDeep);
}
