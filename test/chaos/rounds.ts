export const isFull = process.env["HELIXRUN_CHAOS"] === "full";

/** The rounds of a kill test: one in `npm test`, ten in `npm run chaos`, each killing at another point. */
export const rounds = Array.from({ length: isFull ? 10 : 1 }, (_, index) => ({
  round: index + 1,
  killAfter: 40 + 10 * index,
}));

/** A measured number, for whoever watches the tests. */
export const tell = (line: string): boolean => process.stdout.write(`${line}\n`);
