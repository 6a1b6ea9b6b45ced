/** What was started, to be ended in the opposite order. */
export type Resources = {
  /** Answers what `starting` resolves with, and ends it with the rest. */
  open: <T>(starting: Promise<T>, end: (opened: T) => Promise<unknown>) => Promise<T>;
  /** Ends something else with the rest. */
  onEnd: (end: () => Promise<unknown>) => void;
  /** Ends everything, the last one first. Safe to repeat. */
  end: () => Promise<void>;
};

export function createResources(): Resources {
  const ends: (() => Promise<unknown>)[] = [];
  return {
    async open(starting, end) {
      const opened = await starting;
      ends.push(() => end(opened));
      return opened;
    },
    onEnd: (end) => void ends.push(end),
    async end() {
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}
