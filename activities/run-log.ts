/** What happened in a run, line by line, with the time of each: it becomes the run's log artifact (A36). */
export type RunLog = { line(text: string): void; bytes(): Uint8Array };

const maxLines = 1_000;

export function createRunLog(now: () => number = Date.now): RunLog {
  const began = now();
  const lines: string[] = [];
  return {
    line(text) {
      if (lines.length > maxLines) return;
      const at = now();
      const said = lines.length === maxLines ? `the log is cut here, after ${maxLines} lines` : oneLine(text);
      lines.push(`${new Date(at).toISOString()} +${at - began}ms ${said}`);
    },
    bytes: () => Buffer.from(lines.join("\n") + "\n"),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 1_000);
}
