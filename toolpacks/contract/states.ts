/** The life of an attempt: `queued -> running -> succeeded`, and the ways out of it. A run shows its latest attempt's state. */
export const openStates = ["queued", "running"] as const;
export const finalStates = ["succeeded", "failed", "cancelled"] as const;

export type OpenState = (typeof openStates)[number];
export type FinalState = (typeof finalStates)[number];
export type AttemptState = OpenState | FinalState;

export function isFinal(state: AttemptState): state is FinalState {
  return (finalStates as readonly string[]).includes(state);
}
