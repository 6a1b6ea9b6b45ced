/**
 * Remembers the notifications that were handled. `claim` answers true if this call is the one that
 * handles the id. After a failure `release` lets the next repetition try. If the effects are rows
 * of a database, keep the ids there and write both in one transaction: see
 * examples/remember-in-postgres.mjs.
 */
export type Memory = {
  claim(id: string): Promise<boolean>;
  release(id: string): Promise<void>;
};

/** The most ids that a memory of this process keeps. The oldest id goes first. */
const defaultMaxIds = 100_000;

/**
 * A memory of this process only. It ends with the process, and other processes do not share it.
 * @param options `maxIds`: the most ids that it keeps, by default 100,000. The oldest id goes first
 */
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
