import type { Db } from "./db.ts";

/** What the live artifacts of a project weigh. */
export async function storageOf(db: Db, project: string): Promise<number> {
  return (await db.query<{ bytes: number }>(storage, [project]))[0]?.bytes ?? 0;
}

const storage = { name: "storage-of", text: "select artifact_bytes as bytes from projects where id = $1" };
