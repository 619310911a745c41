// The error catalogue: codes are stable, and their prefix is their class (C92). A code enters with the issue that can
// throw it, and is never renumbered or reused. This file imports nothing: the workflow sandbox holds a copy of it.

export type ErrorClass =
  | "I-REQ"
  | "A-AUTH"
  | "P-PRECOND"
  | "R-TIMEOUT"
  | "R-UPSTREAM"
  | "R-CAP"
  | "S-TOOL"
  | "C-CONTRACT"
  | "D-DATA";

export type Outcome = "retryable_error" | "terminal_error" | "invalid_request";

export type CatalogueRow = ClassTraits & {
  class: ErrorClass;
  message: string;
  fix: string;
  /** Whether the condition can change without the caller changing anything (C96). */
  canChangeOutside: boolean;
};

type ClassTraits = {
  outcome: Outcome;
  /** How long to wait before the next try when nobody knows better; null where trying again does not help. */
  backOffMs: number | null;
  http: number;
};

const invalid = { outcome: "invalid_request", backOffMs: null, http: 400 } as const;
const terminal = { outcome: "terminal_error", backOffMs: null, http: 200 } as const;
const retryable = { outcome: "retryable_error", backOffMs: 1_000, http: 200 } as const;

const traitsOfClass = {
  "I-REQ": invalid,
  "A-AUTH": { ...terminal, http: 403 },
  "P-PRECOND": terminal,
  "R-TIMEOUT": retryable, // of a pure or idempotent tool; who runs a side-effectful one decides otherwise (C97)
  "R-UPSTREAM": retryable,
  "R-CAP": retryable,
  "S-TOOL": terminal, // the one more try of C100 is the server's; what the caller sees is the end of it
  "C-CONTRACT": terminal,
  "D-DATA": terminal,
} as const satisfies Record<ErrorClass, ClassTraits>;

export const errorCatalogue = {
  "I-REQ-001": row("I-REQ", "The input is not valid.", "Correct every place listed under violations, then call again."),
  "I-REQ-002": row(
    "I-REQ",
    "The request envelope is not valid.",
    "Correct every place listed under violations; unknown members are refused.",
  ),
  "I-REQ-003": row("I-REQ", "The request is too large.", "Import large content as an artifact and pass its id.", {
    http: 413,
  }),
  "I-REQ-004": row("I-REQ", "There is no such tool or function.", "List the tools and use a name from that list."),
  "I-REQ-005": row(
    "I-REQ",
    "The version or range is malformed, or no build satisfies it.",
    "Use a SemVer version or range that one of the available versions satisfies.",
  ),
  "I-REQ-006": row(
    "I-REQ",
    "The path does not name a regular file.",
    "Name a regular file; links, folders, pipes and devices are not read.",
  ),

  "A-AUTH-001": row("A-AUTH", "Credentials are missing or unknown.", "Send a valid bearer token.", { http: 401 }),
  "A-AUTH-003": row(
    "A-AUTH",
    "Your credentials do not cover this call.",
    "Use a token whose actor, project and scopes match the call, or ask for the scope in grants.yaml.",
  ),
  "A-AUTH-004": row(
    "A-AUTH",
    "The policy does not allow this.",
    "Choose a tool and version that policy.yaml allows, or have the policy changed and activated.",
  ),
  "A-AUTH-006": row(
    "A-AUTH",
    "The path is outside the import roots.",
    "Name one of the policy's import roots and a path that stays below it.",
  ),

  "P-PRECOND-001": row(
    "P-PRECOND",
    "There is no such artifact in this project.",
    "Import or produce the artifact first, or correct its id.",
    { canChangeOutside: true },
  ),
  "P-PRECOND-002": row(
    "P-PRECOND",
    "This idempotency key was used for another request.",
    "Use a new key, or send the first request unchanged.",
  ),
  "P-PRECOND-005": row(
    "P-PRECOND",
    "The run is not in a state that permits this.",
    "Read the run's state with run_get and act on that.",
    { canChangeOutside: true },
  ),
  "P-PRECOND-006": row(
    "P-PRECOND",
    "The budget of the project is used up.",
    "Have old artifacts removed, or the quota that details name raised in grants.yaml.",
    { canChangeOutside: true },
  ),
  "P-PRECOND-008": row(
    "P-PRECOND",
    "The call is meant for another environment than this gateway's.",
    "Leave context.env out, or call the gateway of that environment.",
  ),
  "P-PRECOND-009": row(
    "P-PRECOND",
    "The run was cancelled.",
    "Call again to open a new attempt, if it is still wanted.",
  ),
  "P-PRECOND-012": row("P-PRECOND", "There is no such run in this project.", "Check the run id and the project.", {
    canChangeOutside: true,
  }),
  "P-PRECOND-013": row(
    "P-PRECOND",
    "There is no such upload in this project.",
    "Begin a new upload; what is not completed in time is removed.",
    { http: 404, canChangeOutside: true },
  ),
  "P-PRECOND-014": row(
    "P-PRECOND",
    "The upload does not stand where the request says.",
    "Ask for its offset and go on from there; a completed upload takes no more.",
    { http: 409, canChangeOutside: true },
  ),

  "R-TIMEOUT-001": row(
    "R-TIMEOUT",
    "The call did not end in time.",
    "Call again with a later deadline or a longer timeout, or wait for the run with run_wait.",
  ),
  "R-UPSTREAM-006": row(
    "R-UPSTREAM",
    "The engine that executes runs cannot be reached.",
    "Wait and call again; the run goes on when the engine is back.",
    { backOffMs: 2_000, canChangeOutside: true },
  ),
  "R-UPSTREAM-007": row(
    "R-UPSTREAM",
    "The ledger cannot be reached.",
    "Wait and call again; what was acknowledged is kept.",
    { backOffMs: 2_000, canChangeOutside: true },
  ),
  "R-CAP-002": row("R-CAP", "Too many calls at once.", "Wait for retry_after_ms, then call again.", {
    canChangeOutside: true,
  }),
  "R-CAP-005": row("R-CAP", "The disk is full.", "Have space freed on the server, then call again.", {
    backOffMs: 30_000,
    canChangeOutside: true,
  }),

  "S-TOOL-001": row("S-TOOL", "The tool crashed.", "Read the run's log; if the input is right, tell the tool's owner."),
  "S-TOOL-INTERNAL": row(
    "S-TOOL",
    "Helixrun failed, not the tool.",
    "Call again; if it stays, report the trace id to the operator.",
    { canChangeOutside: true },
  ),
  "S-TOOL-UNAVAILABLE": row(
    "S-TOOL",
    "The tool cannot run on this server now.",
    "Have what the tool needs installed or started, as details say, then call again.",
    { canChangeOutside: true },
  ),

  "C-CONTRACT-002": row(
    "C-CONTRACT",
    "The build's digest is not the expected one.",
    "Have the server's tools brought to the locked version, or the lock renewed.",
  ),
  "C-CONTRACT-003": row("C-CONTRACT", "The tool's output breaks its own schema.", "Tell the tool's owner."),
  "C-CONTRACT-004": row(
    "C-CONTRACT",
    "The tool made an output it did not declare, or left a declared one out.",
    "Tell the tool's owner.",
  ),
  "C-CONTRACT-005": row(
    "C-CONTRACT",
    "The tool breaks the tool interface.",
    "Tell the tool's owner what violations say.",
  ),
  "C-CONTRACT-007": row(
    "C-CONTRACT",
    "A payload is larger than the engine carries.",
    "Have the tool put large results into artifacts.",
  ),

  "D-DATA-001": row(
    "D-DATA",
    "Stored bytes do not have the hash they are stored under.",
    "Import the file again, and have the operator check the disk.",
    { canChangeOutside: true },
  ),
  "D-DATA-002": row("D-DATA", "The tool cannot read its input.", "Check the artifact's type and content."),
} as const satisfies Record<string, CatalogueRow>;

export type ErrorCode = keyof typeof errorCatalogue;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

/** The class of a code or of a tool's own subcode, `S-TOOL-002-SAMTOOLS-EOF`; undefined if it is of no known class (C93). */
export function classOf(code: string): ErrorClass | undefined {
  const [, prefix = ""] = /^([A-Z]-[A-Z]+)-[A-Z0-9]+(?:-[A-Z0-9]+)*$/.exec(code) ?? [];
  return isErrorClass(prefix) ? prefix : undefined;
}

/** What a caller is told about a code. A subcode ends as its class does; what is of no class is our own fault. */
export function outcomeOf(code: string): Outcome {
  if (isErrorCode(code)) return errorCatalogue[code].outcome;
  return traitsOfClass[classOf(code) ?? "S-TOOL"].outcome;
}

function isErrorClass(prefix: string): prefix is ErrorClass {
  return Object.hasOwn(traitsOfClass, prefix);
}

function row(
  errorClass: ErrorClass,
  message: string,
  fix: string,
  own: Partial<Pick<CatalogueRow, "backOffMs" | "http" | "canChangeOutside">> = {},
): CatalogueRow {
  return { class: errorClass, ...traitsOfClass[errorClass], message, fix, canChangeOutside: false, ...own };
}
