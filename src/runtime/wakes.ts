/** Somebody who waits for news of one name. */
export type Follower = {
  /**
   * True at news, including news since it last resolved. False after `ms` without news, or if the
   * signal is aborted. Never rejects. One call at a time.
   */
  next: (ms: number, signal: AbortSignal) => Promise<boolean>;
  /** Call it at the end, so that nothing is left in memory. */
  end: () => void;
};

/** Wakes those who wait for news of a name, within this process. */
export type Wakes = {
  follow: (name: string) => Follower;
  /** Announces news of these names, or of all names. */
  tell: (names: readonly string[] | "everybody") => void;
  /** The names that somebody follows. */
  followed: () => string[];
};

export function createWakes(): Wakes {
  const followers = new Map<string, Set<() => void>>();

  function follow(name: string): Follower {
    let isNew = false;
    let done: (() => void) | null = null;
    const wake = () => {
      isNew = true;
      done?.();
    };
    const ofName = followers.get(name) ?? new Set();
    followers.set(name, ofName.add(wake));
    return {
      next: (ms, signal) =>
        new Promise((resolve) => {
          const finish = () => {
            clearTimeout(timer);
            signal.removeEventListener("abort", finish);
            done = null;
            resolve(isNew);
            isNew = false;
          };
          const timer = setTimeout(finish, ms);
          signal.addEventListener("abort", finish, { once: true });
          done = finish;
          if (isNew || signal.aborted) finish();
        }),
      end() {
        ofName.delete(wake);
        if (ofName.size === 0 && followers.get(name) === ofName) followers.delete(name);
      },
    };
  }

  return {
    follow,
    tell(names) {
      for (const name of names === "everybody" ? [...followers.keys()] : names)
        for (const wake of [...(followers.get(name) ?? [])]) wake();
    },
    followed: () => [...followers.keys()],
  };
}
