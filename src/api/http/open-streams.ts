import { mostOfBusiness } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";
import { type Owner, ownerKey } from "../../runtime/on-behalf.ts";

/**
 * The open streams of this process: those of the console's pages and those of the feed. A page has
 * one, and a person has a few pages.
 */
export type OpenStreams = {
  /**
   * Counts one more stream of an owner. Returns a function to call when it ends; safe to repeat.
   * @throws Fault `rate_limited` if the owner already has as many streams as are still free. Also
   *   if a business has `mostOfBusiness.streams`, or an operator has `most.ofOperator`
   */
  begin: (owner: Owner) => () => void;
};

/**
 * Limits of a process. `ofOperators` of the streams are reserved for operators. One operator may
 * use `ofOperator`, enough for five sessions, and leaves the others to other operators.
 */
const most = { streams: 2_000, ofOperators: 100, ofOperator: 50 };

/** The time that a refused caller is asked to wait, in ms. */
const retryAfterMs = 15_000;

/** @param noteChange called with 1 for each stream that begins, with -1 for each that ends */
export function createOpenStreams(noteChange: (change: 1 | -1) => void): OpenStreams {
  const ofOwner = new Map<string, number>();
  let open = 0;
  let ofBusinesses = 0;

  /** True if the owner has as many streams as are free. So one is always free for a new owner. */
  function isFull(owner: Owner): boolean {
    const own = ofOwner.get(ownerKey(owner)) ?? 0;
    const free = most.streams - open;
    if (owner.kind === "operator") return own >= Math.min(free, most.ofOperator);
    const freeToBusinesses = Math.min(free, most.streams - most.ofOperators - ofBusinesses);
    return own >= Math.min(freeToBusinesses, mostOfBusiness.streams);
  }

  function count(owner: Owner, change: 1 | -1): void {
    open += change;
    noteChange(change);
    if (owner.kind === "business") ofBusinesses += change;
    const key = ownerKey(owner);
    const own = (ofOwner.get(key) ?? 0) + change;
    if (own === 0) ofOwner.delete(key);
    else ofOwner.set(key, own);
  }

  return {
    begin(owner) {
      if (isFull(owner)) throw tooManyStreams();
      count(owner, 1);
      let isOver = false;
      return () => {
        if (!isOver) count(owner, -1);
        isOver = true;
      };
    },
  };
}

export function tooManyStreams(): Fault {
  return new Fault(
    "rate_limited",
    "Too many pages, streams and waiting requests are open: close some of them.",
    { facts: { retryAfterMs } },
  );
}
