/**
 * Look-ups asked for while one is on its way go together in the next statement. A lone caller waits for nothing; many
 * at once share what a round trip costs on both sides, which is a third of a replay (measured).
 */
export function batched<Key, Value>(load: Load<Key, Value>): (key: Key) => Promise<Value | undefined> {
  let line: Asked<Key, Value>[] = [];
  let onItsWay = false;

  const sendAll = async () => {
    onItsWay = true;
    while (line.length > 0) {
      const together = line;
      line = [];
      await answer(load, together);
    }
    onItsWay = false;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      line.push({ key, resolve, reject });
      if (!onItsWay) void sendAll();
    });
}

/** The values in the order of their keys; undefined for what is not there. */
type Load<Key, Value> = (keys: Key[]) => Promise<(Value | undefined)[]>;
type Asked<Key, Value> = { key: Key; resolve(value: Value | undefined): void; reject(error: unknown): void };

async function answer<Key, Value>(load: Load<Key, Value>, together: Asked<Key, Value>[]) {
  try {
    const values = await load(together.map(({ key }) => key));
    together.forEach(({ resolve }, at) => resolve(values[at]));
  } catch (error) {
    for (const { reject } of together) reject(error);
  }
}
