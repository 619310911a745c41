import { harmless } from "../../toolpacks/contract/harmless-text.ts";
import { sizeText } from "./artifacts-text.ts";

const width = 24;
const everyMs = 100;

/** Transfers as a bar: `reads.fastq.gz ████████░░░░ 1.2 GiB of 3.4 GiB 35 %`, a few times a second. */
export function barOf(show: (state: { step: string; share: number }) => void) {
  let shownAt = 0;
  return function progress({ name, done, total }: { name: string; done: number; total: number }): void {
    if (performance.now() - shownAt < everyMs && done < total) return;
    shownAt = performance.now();
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const full = Math.round(share * width);
    const bar = "█".repeat(full) + "░".repeat(width - full);
    show({ step: `${harmless(name).slice(-40)} ${bar} ${sizeText(done)} of ${sizeText(total)}`, share });
  };
}
