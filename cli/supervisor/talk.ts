import { clearLine, cursorTo } from "node:readline";
import type { WriteStream } from "node:tty";

/** What the supervisor tells whoever watches it start. */
export type Talk = {
  say(line: string): void;
  /** How far a long step is: one line that changes on a terminal, a line every 30 s elsewhere. */
  progress(line: string): void;
};

const quietFor = 30_000;

export function createTalk(stream: NodeJS.WriteStream, clock: () => number = Date.now): Talk {
  stream.on("error", () => undefined); // the terminal was closed: the stack goes on
  let shown = false;
  let last = clock();
  return {
    say(line) {
      if (shown) clear(stream);
      shown = false;
      stream.write(`${line}\n`);
    },
    progress(line) {
      if (stream.isTTY) {
        clear(stream);
        shown = true;
        stream.write(line);
      } else if (clock() - last >= quietFor) {
        last = clock();
        stream.write(`${line}\n`);
      }
    },
  };
}

function clear(stream: WriteStream): void {
  cursorTo(stream, 0);
  clearLine(stream, 0);
}
