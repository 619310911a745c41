const atMostBytes = 64 * 2 ** 20;
const withinMs = 2_000;

/**
 * Reads what a refused sender has still to say. Answered in the middle of its sentence, many a client would see a broken
 * connection instead of our reason. False if it was too much: then the connection cannot be used again.
 */
export async function discardRest(body: ReadableStream<Uint8Array> | null): Promise<boolean> {
  if (!body) return true;
  if (body.locked) return false;
  const reader = body.getReader();
  const tired = setTimeout(() => void reader.cancel().catch(() => undefined), withinMs);
  const until = performance.now() + withinMs;
  try {
    for (let bytes = 0; bytes <= atMostBytes;) {
      const part = await reader.read();
      if (part.done) return performance.now() < until;
      bytes += part.value.length;
    }
    return false;
  } catch {
    return false; // it has gone away
  } finally {
    clearTimeout(tired);
    reader.releaseLock();
  }
}
