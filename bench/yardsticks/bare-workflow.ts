import { proxyLocalActivities } from "@temporalio/workflow";

const { nothing } = proxyLocalActivities<{ nothing(text: string): Promise<string> }>({ startToCloseTimeout: "1m" });

/** The least that a durable run can be: one local activity. */
export async function bare(text: string): Promise<string> {
  return nothing(text);
}
