/**
 * A subject that waits, and the hosts that are silent about it. None named: others, all together.
 */
export type Wait = { subject: string; silent: readonly string[] };

/** Since when each silent host has been waited for, in ms, by subject. */
export type Waits = ReadonlyMap<string, ReadonlyMap<string, number>>;

const others = "";

/**
 * The waits from now on. Each subject has a patience of its own, with each silent host. A subject
 * that is not among those that wait is forgotten, and so is a host that has said something: both
 * begin anew.
 */
export function waitOn(before: Waits, waiting: readonly Wait[], nowMs: number): Waits {
  return new Map(
    waiting.map(({ subject, silent }) => {
      const known = before.get(subject);
      const hosts = silent.length > 0 ? silent : [others];
      return [subject, new Map(hosts.map((host) => [host, known?.get(host) ?? nowMs]))];
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
