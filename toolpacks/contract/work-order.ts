import { z } from "zod";
import { InputLink, Plan } from "./plan.ts";

/** What an attempt is to do; written with it, in the same transaction, and never sent through Temporal. */
export const WorkOrder = z.strictObject({
  plan: Plan,
  inputs: z.array(InputLink),
  timeout_ms: z.int().positive(),
});
export type WorkOrder = z.infer<typeof WorkOrder>;
