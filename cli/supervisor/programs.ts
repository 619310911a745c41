import { programOn } from "../../temporal/server/on-path.ts";

/** The two small programs of util-linux that tie processes and locks to our life; absent on macOS. */
export type Programs = { setpriv: string | undefined; flock: string | undefined };

export async function findPrograms(searchPath: string): Promise<Programs> {
  if (process.platform !== "linux") return { setpriv: undefined, flock: undefined };
  const [setpriv, flock] = await Promise.all([programOn(searchPath, "setpriv"), programOn(searchPath, "flock")]);
  return { setpriv, flock };
}
