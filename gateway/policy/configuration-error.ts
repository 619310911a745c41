/** One thing wrong with a configuration file: where, what, and what to do. */
export type Fault = { place: string; message: string; fix: string };

// A class of its own and not a ToolError: nobody has called yet, and the start stops.
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[], cause?: unknown) {
    super(faults.map(({ place, message, fix }) => `${place}: ${message} ${fix}`).join("\n"), { cause });
    this.faults = faults;
  }
}
