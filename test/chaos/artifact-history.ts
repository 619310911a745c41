/** Something that was asked and answered, by the clock of whoever asked: its effect lies somewhere between. */
type Event = { began: number; ended: number };
export type Window = { from: number; to: number };

/** What was done to one artifact, and what may be said of it from that alone. */
export type ArtifactHistory = ReturnType<typeof createHistory>;

export function createHistory() {
  const imports: Event[] = [];
  const removals: Event[] = [];
  return {
    async importing<T>(work: () => Promise<T>): Promise<T> {
      const event = { began: performance.now(), ended: Number.POSITIVE_INFINITY };
      imports.push(event);
      const answer = await work();
      event.ended = performance.now();
      return answer;
    },
    /** Before the answer is there a removal may or may not have happened; one that found nothing to remove is forgotten. */
    removing(): { done(removed: boolean): void } {
      const event = { began: performance.now(), ended: Number.POSITIVE_INFINITY };
      removals.push(event);
      return {
        done(removed) {
          event.ended = performance.now();
          if (!removed) removals.splice(removals.indexOf(event), 1);
        },
      };
    },
    /** It was acknowledged before, and whatever was removed was so before that import began or after the window. */
    isSurelyLive: ({ from, to }: Window): boolean =>
      imports.some(
        (made) => made.ended <= from && removals.every((gone) => gone.ended <= made.began || gone.began >= to),
      ),
    /** Nobody has imported it since it was removed. */
    isSurelyGone({ from, to }: Window): boolean {
      const begun = imports.filter((made) => made.began < to);
      if (begun.length === 0) return true;
      return removals.some((gone) => gone.ended <= from && begun.every((made) => made.ended <= gone.began));
    },
  };
}
