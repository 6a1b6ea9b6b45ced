/** Lets a few pieces of work of each owner run at a time. The others of that owner wait. */
export type Turns = {
  /**
   * Resolves when the owner's turn has come, with what ends it, which is safe to repeat. Null: too
   * many of that owner wait already.
   */
  begin: (owner: string) => Promise<(() => void) | null>;
};

type Known = { running: number; waiting: (() => void)[] };

/** Owners do not wait for each other. An owner without running work is forgotten. */
export function createTurns({
  atOnce,
  mostWaiting,
}: {
  atOnce: number;
  mostWaiting: number;
}): Turns {
  const owners = new Map<string, Known>();

  /** The turn goes to the owner's next piece of work. */
  function leave(owner: string, known: Known): void {
    const next = known.waiting.shift();
    if (next === undefined) known.running -= 1;
    else next();
    if (known.running === 0) owners.delete(owner);
  }

  return {
    async begin(owner) {
      const known = owners.get(owner) ?? { running: 0, waiting: [] };
      owners.set(owner, known);
      if (known.running < atOnce) known.running += 1;
      else if (known.waiting.length >= mostWaiting) return null;
      else await new Promise<void>((resolve) => known.waiting.push(resolve));
      let isOver = false;
      return () => {
        if (!isOver) leave(owner, known);
        isOver = true;
      };
    },
  };
}
