import { mostOfBusiness } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";
import { type Owner, ownerKey } from "../../runtime/on-behalf.ts";

/**
 * The answers of this process that are held open: those of the console's pages and those of the
 * feed. A page has one, and a person has a few pages.
 */
export type OpenStreams = {
  /**
   * Counts one more of an owner. Call what it gives in the end; safe to repeat.
   * @throws Fault `rate_limited` where a business has `mostOfBusiness.streams`, an operator has
   *   `most.ofOperator`, or the process too many
   */
  begin: (owner: Owner) => () => void;
};

/**
 * Limits of a process. Businesses leave those of `ofOperators` free. An operator leaves some of
 * those to the others: `ofOperator` is what five sessions may have.
 */
const most = { streams: 2_000, ofOperators: 100, ofOperator: 50 };

/** The wait that a refused caller is told, in ms. */
const retryAfterMs = 15_000;

/** @param noteChange is called with each one that begins (1) or ends (-1) */
export function createOpenStreams(noteChange: (change: 1 | -1) => void): OpenStreams {
  const ofOwner = new Map<string, number>();
  let open = 0;
  let ofBusinesses = 0;

  function isFull(owner: Owner): boolean {
    const own = ofOwner.get(ownerKey(owner)) ?? 0;
    if (open >= most.streams) return true;
    if (owner.kind === "operator") return own >= most.ofOperator;
    return own >= mostOfBusiness.streams || ofBusinesses >= most.streams - most.ofOperators;
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
