/**
 * A subject that waits, and the hosts that are silent about it. None named: others, all together.
 */
export type Wait = { subject: string; silent: readonly string[] };

/** Since when each silent host has been waited for, in ms, by subject. */
export type Waits = ReadonlyMap<string, ReadonlyMap<string, number>>;

const others = "";

/**
 * The waits with each subject once, by its first wait. It waits for every host that is silent in
 * any of its waits.
 */
export function onePerSubject<One extends Wait>(waiting: readonly One[]): One[] {
  const bySubject = new Map<string, One>();
  for (const wait of waiting) {
    const before = bySubject.get(wait.subject);
    const silent = before === undefined ? wait.silent : [...new Set(hostsOf([before, wait]))];
    bySubject.set(wait.subject, { ...(before ?? wait), silent });
  }
  return [...bySubject.values()];
}

function hostsOf(waits: readonly Wait[]): string[] {
  return waits.flatMap(({ silent }) => (silent.length > 0 ? silent : [others]));
}

/**
 * The waits from now on. Each subject has a patience of its own, with each silent host. A subject
 * that is not among those that wait is forgotten, and so is a host that has said something: both
 * begin anew.
 */
export function waitOn(before: Waits, waiting: readonly Wait[], nowMs: number): Waits {
  return new Map(
    onePerSubject(waiting).map((wait) => {
      const { subject } = wait;
      const known = before.get(subject);
      return [subject, new Map(hostsOf([wait]).map((host) => [host, known?.get(host) ?? nowMs]))];
    }),
  );
}

/** The subjects whose silent hosts have all been waited for as long as that. */
export function overdueIn(waits: Waits, nowMs: number, patienceMs: number): ReadonlySet<string> {
  const overdue = [...waits].filter(([, hosts]) =>
    [...hosts.values()].every((sinceMs) => nowMs - sinceMs >= patienceMs),
  );
  return new Set(overdue.map(([subject]) => subject));
}
