import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";

/**
 * The owner of work: a business by its id, or an operator by name. The work of each owner is
 * limited, and has its own turns.
 */
export type Owner = { kind: "business" | "operator"; name: string };

/** A text that identifies an owner, as the key of counts and queues. */
export function ownerKey({ kind, name }: Owner): string {
  return `${kind} ${name}`;
}

/** A request of an owner, or another piece of work for it. */
export type Work = {
  owner: Owner;
  /**
   * The place of its next turn among its owner's: the lowest goes first. Work that began earlier
   * has lower places, so that one request finishes before the next one begins.
   */
  nextPlace: () => number;
  /** Aborted if nobody needs the work any more, and none of its turns has begun. */
  signal: AbortSignal;
  /** Notes that one of its turns has begun. From then on the work is completed. */
  begin: () => void;
  /** Notes that nobody needs the work any more. Safe to repeat. */
  leave: () => void;
};

/**
 * The number of turns that work has at its first place. Later turns come after all work that has
 * begun since. Otherwise an answer that takes an hour would delay its owner's other requests.
 */
const turnsInPlace = 20;

let lastPlace = 0;

/** Notes a piece of work that begins now. */
export function workOf(owner: Owner): Work {
  const left = new AbortController();
  // Each of its waiting turns adds a listener. By default Node warns of a leak above ten.
  setMaxListeners(0, left.signal);
  lastPlace += 1;
  const place = lastPlace;
  let turns = 0;
  let hasBegun = false;
  return {
    owner,
    nextPlace() {
      turns += 1;
      if (turns <= turnsInPlace) return place;
      lastPlace += 1;
      return lastPlace;
    },
    signal: left.signal,
    begin() {
      hasBegun = true;
    },
    leave() {
      if (!hasBegun) left.abort(new WorkLeft());
    },
  };
}

/** Thrown instead of giving a turn to work that nobody needs any more. No caller sees it. */
export class WorkLeft extends Error {
  override readonly name = "WorkLeft";

  constructor() {
    super("Nobody wants this work any more.");
  }
}

/** True if the error comes from work that nobody needs any more. */
export function isLeft(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof WorkLeft) return true;
  return false;
}

const works = new AsyncLocalStorage<Work | null>();

/** Runs `part`, and all that follows from it, as a part of the work. */
export function doWork<T>(work: Work, part: () => T): T {
  return works.run(work, part);
}

/**
 * Runs `work`, and all that follows from it, for an owner. Null: for no owner. Use null for what
 * one request starts and all use, such as a timer.
 */
export function onBehalfOf<T>(owner: Owner | null, work: () => T): T {
  return works.run(owner === null ? null : workOf(owner), work);
}

/** The work that the caller is a part of. Null: none. */
export function workInHand(): Work | null {
  return works.getStore() ?? null;
}

/** The owner that the caller works for. Null: none. */
export function ownerOfWork(): Owner | null {
  return workInHand()?.owner ?? null;
}
