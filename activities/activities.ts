import { createPerformInline, type InlineDeps } from "./inline/perform-inline.ts";

/** Everything that workflows may ask for. The worker receives this as a value. */
export type Activities = ReturnType<typeof createActivities>;

export function createActivities(deps: InlineDeps) {
  return { performInline: createPerformInline(deps) };
}
