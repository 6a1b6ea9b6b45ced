type Questions = Record<string, unknown>;

/**
 * Counts how many questions are asked one after the other, of whatever ports are counted together:
 * one that is asked while others are under way does not count beside them.
 */
export function countRoundTrips() {
  let inSequence = 0;
  let asked: string[] = [];

  async function note<T>(name: string, answer: Promise<T>): Promise<T> {
    asked.push(name);
    const mine = inSequence + 1;
    try {
      return await answer;
    } finally {
      inSequence = Math.max(inSequence, mine);
    }
  }

  return {
    /** The same port, each question counted. What answers at once is no question. */
    counted<Port extends object>(port: Port): Port {
      return new Proxy(port, {
        get(target, key) {
          const method = (target as Questions)[String(key)];
          if (typeof method !== "function") return method;
          return (...input: unknown[]) => {
            const answer: unknown = method.apply(target, input);
            return answer instanceof Promise ? note(String(key), answer) : answer;
          };
        },
      });
    },
    /** What was asked since the last time, in order, and how many of it in sequence. */
    take(): { asked: string[]; inSequence: number } {
      const taken = { asked, inSequence };
      asked = [];
      inSequence = 0;
      return taken;
    },
  };
}
