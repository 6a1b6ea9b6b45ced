import { mostOfBusiness } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";

/**
 * The answers of this process that are held open: those of the console's pages and those of the
 * feed. A page has one, and a person has a few pages.
 */
export type OpenStreams = {
  /**
   * Counts one more, of a business, or of an operator (null). Call what it gives in the end; safe
   * to repeat.
   * @throws Fault `rate_limited` where the business has `mostOfBusiness.streams`, or the process
   *   too many
   */
  begin: (businessId: string | null) => () => void;
};

/** Limits of a process. Businesses leave those of `ofOperators` free. */
const most = { streams: 2_000, ofOperators: 100 };

/** The wait that a refused caller is told, in ms. */
const retryAfterMs = 15_000;

/** @param noteChange is called with each one that begins (1) or ends (-1) */
export function createOpenStreams(noteChange: (change: 1 | -1) => void): OpenStreams {
  const ofBusiness = new Map<string, number>();
  let open = 0;
  let ofBusinesses = 0;

  const isFull = (businessId: string | null) =>
    open >= most.streams ||
    (businessId !== null &&
      ((ofBusiness.get(businessId) ?? 0) >= mostOfBusiness.streams ||
        ofBusinesses >= most.streams - most.ofOperators));

  function count(businessId: string | null, change: 1 | -1): void {
    open += change;
    noteChange(change);
    if (businessId === null) return;
    ofBusinesses += change;
    const own = (ofBusiness.get(businessId) ?? 0) + change;
    if (own === 0) ofBusiness.delete(businessId);
    else ofBusiness.set(businessId, own);
  }

  return {
    begin(businessId) {
      if (isFull(businessId)) throw tooManyStreams();
      count(businessId, 1);
      let isOver = false;
      return () => {
        if (!isOver) count(businessId, -1);
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
