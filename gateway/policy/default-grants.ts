import type { z } from "zod";

import type { Grants } from "../../toolpacks/contract/grants.ts";

/** What holds where there is no grants.yaml: whoever can read the data directory may do everything, in any project. */
export const defaultGrants: z.input<typeof Grants> = {
  version: 1,
  local: { actor: "local", scopes: ["tools:*"], project: "default" },
  scopes: { "tools:*": { tools: ["*"], doors: ["*"] } },
};
