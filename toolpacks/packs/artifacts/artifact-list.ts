import { z } from "zod";
import type { Boundary, ListedArtifact } from "../../contract/artifact-list.ts";
import { hashOf } from "../../contract/hash.ts";
import { ArtifactId, ArtifactType, RunId, Sha256 } from "../../contract/ids.ts";
import type { CanonicalizeContext, ToolSource } from "../../contract/tool-definition.ts";
import { answerBytes, takeWithin } from "./fit.ts";
import { cursorOf, foreignCursor, positionOf } from "./page-cursor.ts";

const defaultLimit = 50;
const maxLimit = 200;
const time = z.iso.datetime({ offset: true });

const Input = z.strictObject({
  type: ArtifactType.optional().describe("Only artifacts of this type."),
  label: z.string().min(1).max(200).optional().describe("Only artifacts that a run has given this label."),
  run: RunId.optional().describe("Only artifacts that this run has made."),
  created_after: time.optional().describe("Only artifacts made at this time or later."),
  created_before: time.optional().describe("Only artifacts made before this time."),
  logs: z.boolean().optional().describe("Whether logs of runs are listed too; default: false."),
  limit: z.int().min(1).max(maxLimit).optional().describe(`How many at most; default ${defaultLimit}.`),
  cursor: z.string().max(1_024).optional().describe("next_cursor of the page before, with the same filters."),
});
type Input = z.infer<typeof Input>;

const AsOf = z.strictObject({
  created_at: z.string().nullable(),
  artifact_count: z.int().nonnegative(),
  seq: z.int().nonnegative(),
});
const Output = z.strictObject({
  artifacts: z.array(
    z.strictObject({
      artifact_id: ArtifactId,
      type: ArtifactType,
      bytes: z.int().nonnegative(),
      sha256: Sha256,
      label: z.string().nullable(),
      created_at: z.iso.datetime(),
      created_by_run: z.string(),
    }),
  ),
  as_of: AsOf,
  cursor: z.string().describe("Asks for this very page again, whatever has come since."),
  next_cursor: z.string().nullable(),
});

const Position = z.strictObject({ ...AsOf.shape, before: z.int().nonnegative().nullable() });
const Filters = Input.pick({ type: true, label: true, run: true, created_after: true, created_before: true }).extend({
  logs: z.boolean(),
});
const Params = z.strictObject({
  as_of_created_at: z.string().nullable(),
  artifact_count: z.int(),
  seq: z.int(),
  before: z.int().nullable(),
  limit: z.int(),
  filters: Filters,
  scope: z.string(),
});

/** The artifacts of a project as of one moment (T40): the boundary is part of the question, so its answer never changes. */
export const artifactList: ToolSource<Input> = {
  abiVersion: "v1",
  toolName: "artifact_list",
  contractVersion: "v1",
  version: "1.0.0",
  title: "List artifacts",
  description:
    "The artifacts of this project, newest first, as of the moment of the call. Later pages, by next_cursor, " +
    "stay in the moment of the first: nothing is dropped or doubled while others import.",
  owner: "helixrun",
  determinism: "pure",
  planKind: "inline",
  input: Input,
  output: Output,

  async canonicalize({ cursor, limit = defaultLimit, ...args }, context) {
    const filters = filtersOf(args);
    const scope = hashOf([context.project, filters]);
    const { created_at, ...position } = await positionFor(cursor, scope, filters.logs, context);
    const canonicalParams = { as_of_created_at: created_at, ...position, limit, filters, scope };
    return { canonicalParams, plan: { kind: "inline", outputs: [] }, inputsToLink: [] };
  },

  async run({ params, artifacts, log }) {
    const { as_of_created_at: created_at, artifact_count, seq, before, limit, filters, scope } = Params.parse(params);
    const asOf: Boundary = { seq, count: artifact_count, createdAt: created_at };
    const found = await artifacts.list({ ...listFilterOf(filters), asOf, before, limit: limit + 1 });
    const page = takeWithin(found.slice(0, limit).map(rowOf), answerBytes);
    log(`listed ${page.length} artifacts as of number ${seq}`);
    const as_of = { created_at, artifact_count, seq };
    const last = found[page.length - 1];
    return {
      artifacts: page,
      as_of,
      cursor: cursorOf(scope, { ...as_of, before }),
      next_cursor: last && found.length > page.length ? cursorOf(scope, { ...as_of, before: last.seq }) : null,
    };
  },
};

/** Equal questions in one form: times in UTC, logs said or not. */
function filtersOf({ type, label, run, created_after, created_before, logs = false }: Input) {
  return {
    ...(type !== undefined && { type }),
    ...(label !== undefined && { label }),
    ...(run !== undefined && { run }),
    ...(created_after !== undefined && { created_after: new Date(created_after).toISOString() }),
    ...(created_before !== undefined && { created_before: new Date(created_before).toISOString() }),
    logs: logs || type === "log", // who asks for logs by type means them
  };
}

function listFilterOf({ type, label, run, created_after, created_before, logs }: z.infer<typeof Filters>) {
  const dateOf = (at: string | undefined) => (at === undefined ? undefined : new Date(at));
  return { type, label, run, createdAfter: dateOf(created_after), createdBefore: dateOf(created_before), logs };
}

/** The first page stands at this moment. A later one stands where the first stood, which cannot be in the future. */
async function positionFor(
  cursor: string | undefined,
  scope: string,
  logs: boolean,
  context: CanonicalizeContext,
): Promise<z.infer<typeof Position>> {
  const now = await context.snapshot(logs ? "artifacts and logs" : "artifacts");
  if (cursor === undefined) return { created_at: now.createdAt, artifact_count: now.count, seq: now.seq, before: null };
  const position = positionOf(scope, cursor, Position);
  if (position.seq > now.seq || (position.created_at ?? "") > (now.createdAt ?? "")) throw foreignCursor();
  return position;
}

function rowOf({ artifactId, type, bytes, sha256, label, createdAt, createdByRun }: ListedArtifact) {
  return {
    artifact_id: artifactId,
    type,
    bytes,
    sha256,
    label,
    created_at: createdAt.toISOString(),
    created_by_run: createdByRun,
  };
}
