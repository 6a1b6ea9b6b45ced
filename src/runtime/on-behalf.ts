import { AsyncLocalStorage } from "node:async_hooks";

const owners = new AsyncLocalStorage<string>();

/** Does `work`, and all that follows from it, on behalf of an owner. */
export function onBehalfOf<T>(owner: string, work: () => T): T {
  return owners.run(owner, work);
}

/** On whose behalf the caller works; null: nobody's. */
export function ownerOfWork(): string | null {
  return owners.getStore() ?? null;
}
