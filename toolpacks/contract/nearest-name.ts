/** The known name that a misspelt one most likely means; undefined if none is near. Case, `_` and `-` count for little. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(plain(name).length / 3)) + 1;
  for (const candidate of known) {
    const distance = plain(candidate) === plain(name) ? 0 : distanceOf(plain(name), plain(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

const longestCompared = 64; // the comparison is quadratic, and the name is a stranger's

function plain(name: string): string {
  return name.slice(0, longestCompared).toLowerCase().replaceAll(/[_-]/g, "");
}

/** Levenshtein distance, row by row. */
function distanceOf(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const changed = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(changed, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
