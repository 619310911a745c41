/** Writes the newest value, one write at a time: what changes meanwhile is written once, after it. */
export function createPublisher<T>(valueOf: () => T, write: (value: T) => Promise<void>) {
  let wanted = false;
  let writing: Promise<void> | undefined;
  return {
    publish(): Promise<void> {
      wanted = true;
      writing ??= drain().finally(() => (writing = undefined));
      return writing;
    },
  };

  async function drain(): Promise<void> {
    while (wanted) {
      wanted = false;
      await write(valueOf());
    }
  }
}
