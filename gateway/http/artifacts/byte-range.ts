/** Which bytes of `total` a Range header asks for. Several ranges, other units and nonsense are ignored, as RFC 9110 allows. */
export type AskedRange = { kind: "all" } | { kind: "part"; first: number; last: number } | { kind: "outside" };

export function byteRangeOf(header: string | undefined, total: number): AskedRange {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (from === "" && to === "") return { kind: "all" };
  if (from === "") return lastBytes(Number(to), total);
  const first = Number(from);
  const last = to === "" ? total - 1 : Math.min(Number(to), total - 1);
  if (to !== "" && Number(to) < first) return { kind: "all" };
  return first < total ? { kind: "part", first, last } : { kind: "outside" };
}

function lastBytes(count: number, total: number): AskedRange {
  if (count === 0 || total === 0) return { kind: "outside" };
  return { kind: "part", first: Math.max(0, total - count), last: total - 1 };
}
