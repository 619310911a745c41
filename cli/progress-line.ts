import { clearLine, cursorTo } from "node:readline";
import type { WriteStream } from "node:tty";

type State = { step: string; share?: number };

/** One line on a terminal that changes while something long is done; nothing in a pipe or a file. */
export function createProgressLine(stream: NodeJS.WriteStream) {
  const show = (text: string) => {
    if (!isTerminal(stream)) return;
    cursorTo(stream, 0);
    clearLine(stream, 0);
    stream.write(text);
  };
  return { progress: (state: State) => show(textOf(state)), end: () => show("") };
}

const isTerminal = (stream: NodeJS.WriteStream): stream is WriteStream => stream.isTTY;

const textOf = ({ step, share }: State): string =>
  share === undefined ? step : `${step} ${Math.floor(share * 100)} %`;
