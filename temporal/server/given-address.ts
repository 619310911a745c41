import type { Way } from "./way.ts";

/** A server that somebody else runs. */
export const givenAddress: Way = {
  name: "TEMPORAL_ADDRESS",
  slow: false,
  async find({ address }) {
    if (!address) return { missed: "not set", fix: "set TEMPORAL_ADDRESS=host:7233 to use a server of your own" };
    return { found: { kind: "address", address }, where: address };
  },
};
