const longestStep = 200;

/** JSON pointer (RFC 6901) of a path. Made to be shown: over-long names are cut, and what no database or reply can hold is replaced. */
export function pointerOf(path: Iterable<PropertyKey>): string {
  let pointer = "";
  for (const step of path) pointer += `/${shown(String(step)).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return pointer;
}

// A caller chooses the names: one name of a megabyte over a thousand faults must not become a gigabyte of answer.
function shown(step: string): string {
  const short = step.length > longestStep ? `${step.slice(0, longestStep)}…` : step;
  return short.toWellFormed().replaceAll("\0", "\uFFFD");
}
