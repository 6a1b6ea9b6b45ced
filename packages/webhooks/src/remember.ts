/**
 * Remembers which notifications were handled. `claim` answers whether this call is the one that handles the id; after
 * a failure `release` lets the next repetition try. Where the effects are rows of a database, keep the ids there
 * and write both in one transaction: see examples/remember-in-postgres.mjs.
 */
export type Memory = {
  claim(id: string): Promise<boolean>;
  release(id: string): Promise<void>;
};

/** How many ids a memory of this process keeps; the oldest go first. */
const defaultMaxIds = 100_000;

/** A memory of this process only: it ends with the process, and other processes do not share it. */
export function rememberInProcess(options: { maxIds?: number } = {}): Memory {
  const { maxIds = defaultMaxIds } = options;
  const ids = new Set<string>();
  return {
    async claim(id) {
      if (ids.has(id)) return false;
      ids.add(id);
      if (ids.size > maxIds) {
        const [oldest] = ids;
        if (oldest !== undefined) ids.delete(oldest);
      }
      return true;
    },
    async release(id) {
      ids.delete(id);
    },
  };
}
