/** The exit codes of every command. */
export const exitCodes = {
  success: 0,
  unexpected: 1,
  invalidRequest: 2,
  retryable: 3,
  terminal: 4,
  prepared: 5,
  pending: 6,
  /** By Ctrl-C, as a shell counts it. */
  stopped: 130,
} as const;

export type Complaint = Error & { exitCode: number };

/** An error whose message is all that the user needs: printed without a stack, and the command ends with that code. */
export function complaint(message: string, exitCode: number = exitCodes.unexpected, cause?: unknown): Complaint {
  return Object.assign(new Error(message, { cause }), { exitCode });
}

/** What went wrong, in words. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

export const isComplaint = (error: unknown): error is Complaint =>
  error instanceof Error && "exitCode" in error && typeof error.exitCode === "number";
