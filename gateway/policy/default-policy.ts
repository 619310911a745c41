import type { z } from "zod";

import type { Policy } from "../../toolpacks/contract/policy.ts";

/** What holds where there is no policy.yaml: the shipped packs, files from the inbox, no network. */
export const defaultPolicy: z.input<typeof Policy> = {
  version: 1,
  tools: { allow: ["artifact_*"] },
  import_roots: [{ name: "inbox", path: "data:inbox" }],
  network: { default: "none" },
};
