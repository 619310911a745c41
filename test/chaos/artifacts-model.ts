import { randomInt, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { postToolCall } from "../../cli/mcp-post.ts";
import type { BlobStore } from "../../ledger/blobs/store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { artifactIdOf } from "../../toolpacks/contract/artifact-id.ts";
import type { Answer } from "../../toolpacks/contract/envelope.ts";
import { sha256Hex } from "../../toolpacks/contract/hash.ts";
import { ArtifactType, ProjectId } from "../../toolpacks/contract/ids.ts";
import type { Installation } from "../kit/installation.ts";
import { createHistory, type ArtifactHistory, type Window } from "./artifact-history.ts";

type Known = { content: string; artifactId: string; history: ArtifactHistory };
type Row = { artifact_id: string; sha256: string };

const hotContents = 60;
const pageRows = 7;

/** Importers, listers, a remover and collectors, and everything that they find wrong about what they are told. */
export function createModel(installation: Installation, ledger: Ledger) {
  const known = new Map<string, Known>();
  const wrong: unknown[] = [];
  const tally = { imports: 0, lists: 0, pages: 0, reads: 0, removed: 0, swept: 0, orphans: 0, logs: 0 };
  const hot = Array.from({ length: hotContents }, () => knownOf(`${randomUUID()}\n`.repeat(1 + randomInt(200))));

  return { importer, lister, remover, collector, wrong, tally, known };

  function knownOf(content: string): Known {
    const ids = { project: ProjectId.parse("default"), type: ArtifactType.parse("text") };
    const artifactId = artifactIdOf({ ...ids, sha256: sha256Hex(content) });
    const one = { content, artifactId, history: createHistory() };
    known.set(artifactId, one);
    return one;
  }

  /** Mostly one of the few contents that come and go all the time, now and then a new one; by value and by path. */
  async function importer(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const one = randomInt(5) > 0 ? hot[randomInt(hotContents)] : knownOf(`once ${randomUUID()}`);
      if (!one) return;
      const input = randomInt(3) > 0 ? { content: one.content } : { path: await inInbox(one.content) };
      const answer = await one.history.importing(() => call("artifact_import", { ...input, type: "text" }));
      tally.imports += 1;
      if (outputOf<Row>(answer)?.artifact_id !== one.artifactId) wrong.push({ imported: one.artifactId, answer });
    }
  }

  async function inInbox(content: string): Promise<string> {
    const path = `${randomUUID()}.txt`;
    await writeFile(join(installation.inbox, path), content);
    return path;
  }

  /** Whole lists, page by page; then one artifact of the list is read. */
  async function lister(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const from = performance.now();
      const rows = await allPages();
      if (rows) check(rows, { from, to: performance.now() });
      const one = rows?.[randomInt(Math.max(1, rows.length))];
      if (one) await read(one.artifact_id);
    }
  }

  async function allPages(): Promise<Row[] | undefined> {
    const rows: Row[] = [];
    for (let cursor: string | null = null; ;) {
      const input: Record<string, unknown> = { limit: pageRows, ...(cursor !== null && { cursor }) };
      const answer = await call("artifact_list", input);
      const page = outputOf<{ artifacts: Row[]; next_cursor: string | null }>(answer);
      if (!page) {
        wrong.push({ listed: answer });
        return undefined;
      }
      tally.pages += 1;
      rows.push(...page.artifacts);
      cursor = page.next_cursor;
      if (cursor === null) return rows;
    }
  }

  function check(rows: Row[], window: Window): void {
    tally.lists += 1;
    const listed = new Set(rows.map((row) => row.artifact_id));
    if (listed.size < rows.length) wrong.push({ doubled: rows.length - listed.size });
    for (const { artifact_id, sha256 } of rows) {
      const one = known.get(artifact_id);
      if (!one || sha256 !== sha256Hex(one.content)) wrong.push({ unknown: artifact_id });
      else if (one.history.isSurelyGone(window)) wrong.push({ resurrected: artifact_id });
    }
    for (const { artifactId, history } of known.values())
      if (!listed.has(artifactId) && history.isSurelyLive(window)) wrong.push({ dropped: artifactId });
  }

  async function read(artifactId: string): Promise<void> {
    const from = performance.now();
    const answer = await call("artifact_preview_text", { artifact_id: artifactId, max_bytes: 1 + randomInt(8_000) });
    tally.reads += 1;
    const one = known.get(artifactId);
    const text = outputOf<{ text: string }>(answer)?.text;
    const isAbsent = "error" in answer && answer.error.code === "P-PRECOND-001";
    if (text === undefined ? !isAbsent : !one?.content.startsWith(text)) wrong.push({ read: artifactId, answer });
    if (isAbsent && one?.history.isSurelyLive({ from, to: performance.now() })) wrong.push({ missing: artifactId });
  }

  async function remover(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const all = [...known.values()];
      const some = Array.from({ length: 1 + randomInt(3) }, () => all[randomInt(all.length)]).filter((one) => !!one);
      const chosen = [...new Set(some)].map((one) => ({ ...one, removing: one.history.removing() }));
      const gone = await ledger.tombstoneArtifacts(chosen.map(({ artifactId }) => artifactId));
      const removed = new Set(gone.map(({ artifactId }) => artifactId));
      for (const { artifactId, removing } of chosen) removing.done(removed.has(artifactId));
      tally.removed += removed.size;
      await pause(100);
    }
  }

  async function collector(blobs: BlobStore, signal: AbortSignal): Promise<void> {
    const retention = { logsMs: 1_000, unreferencedMs: 0, graceMs: 1_000 };
    while (!signal.aborted) {
      const { swept, orphans, logs } = await ledger.collectGarbage({ blobs, retention, actor: "model" });
      tally.swept += swept.count;
      tally.orphans += orphans.count;
      tally.logs += logs.count;
      await pause(50);
    }
  }

  function call(name: string, input: unknown): Promise<Answer> {
    return postToolCall(installation.gateway, { name, arguments: input });
  }
}

function outputOf<T>(answer: Answer): T | undefined {
  return answer.status === "success" ? (answer.output as T) : undefined;
}
