/** Something that waits, and the hosts that do not answer for it. Empty: any other hosts. */
export type Wait = { subject: string; silent: readonly string[] };

/** Since when each silent host is waited for, in ms, by subject. */
export type Waits = ReadonlyMap<string, ReadonlyMap<string, number>>;

const others = "";

/** One wait for each subject: its first one, with the silent hosts of all its waits. */
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
 * Continues the waits. Time counts for each subject and each silent host. A subject that does not
 * wait any more is forgotten, and so is a host that has answered. If they wait again, their time
 * begins anew.
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

/** The subjects for which every silent host has been waited for `patienceMs`. */
export function overdueIn(waits: Waits, nowMs: number, patienceMs: number): ReadonlySet<string> {
  const overdue = [...waits].filter(([, hosts]) =>
    [...hosts.values()].every((sinceMs) => nowMs - sinceMs >= patienceMs),
  );
  return new Set(overdue.map(([subject]) => subject));
}
