import { AsyncLocalStorage } from "node:async_hooks";

/**
 * A business by its id, or an operator by name. The work of each is bounded, and has turns of its
 * own.
 */
export type Owner = { kind: "business" | "operator"; name: string };

/** One text for each owner: the key of what is counted or waits by owner. */
export function ownerKey({ kind, name }: Owner): string {
  return `${kind} ${name}`;
}

const owners = new AsyncLocalStorage<Owner | null>();

/**
 * Does `work`, and all that follows from it, on behalf of an owner. Null: nobody's, which is for
 * what is begun by one and goes on for all, such as a timer.
 */
export function onBehalfOf<T>(owner: Owner | null, work: () => T): T {
  return owners.run(owner, work);
}

/** On whose behalf the caller works; null: nobody's. */
export function ownerOfWork(): Owner | null {
  return owners.getStore() ?? null;
}
