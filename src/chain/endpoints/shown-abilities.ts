import type { Ability } from "../../domain/chain/ability.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { RpcFailure } from "../rpc/rpc-fault.ts";

/** The ability that an answer to a method shows. */
const abilityOf: Readonly<Record<string, Ability>> = {
  eth_getBlockReceipts: "block_receipts",
  debug_traceBlockByHash: "traces",
  trace_block: "traces",
  eth_getLogs: "logs",
  eth_getProof: "proofs",
  eth_getBlockAccessList: "access_lists",
  eth_getBlockAccessListByBlockHash: "access_lists",
};

/** Methods that ask for the state after a block. */
const ofState: ReadonlySet<string> = new Set(["eth_call", "eth_getBalance", "eth_getProof"]);

/**
 * A refused method is asked for again after this many ms. A provider may refuse one for a moment,
 * or begin to offer it while the process runs.
 */
const askAgainMs = 10 * 60_000;

/** An endpoint that had no old data is said to have none for this many ms. */
const staysGoneMs = 24 * 60 * 60_000;

/** Keeps what an endpoint has shown by its answers. */
export function createShownAbilities(clock: Clock) {
  /** By method: true if the last answer to it shows that the endpoint offers it. */
  const offered = new Map<string, boolean>();
  const refusedMs = new Map<string, number>();
  const goneMs = new Map<Ability, number>();

  function note(method: string, isOffered: boolean): void {
    if (Object.hasOwn(abilityOf, method)) offered.set(method, isOffered);
  }

  function lastOf(ability: Ability): boolean | null {
    const known = [...offered].filter(([method]) => abilityOf[method] === ability);
    if (known.length === 0) return null;
    return known.some(([, isOffered]) => isOffered);
  }

  const refuse = (method: string) => void refusedMs.set(method, clock.elapsed());

  return {
    answered(method: string): void {
      note(method, true);
      refusedMs.delete(method);
    },

    failed(method: string, failure: RpcFailure): void {
      if (failure.kind === "unsupported") {
        note(method, false);
        refuse(method);
      }
      if (failure.kind !== "refused" || failure.isGone !== true) return;
      goneMs.set(ofState.has(method) ? "old_state" : "old_blocks", clock.elapsed());
    },

    /** Notes that the method need not be asked for, until it is due again. */
    refuse,

    /** False: the endpoint has refused the method lately. */
    offers(method: string): boolean {
      const sinceMs = refusedMs.get(method);
      return sinceMs === undefined || clock.elapsed() - sinceMs >= askAgainMs;
    },

    /**
     * Null: it has not been asked for that. An ability that has failed for old data stays so for a
     * day: newer data says nothing of it.
     */
    has(ability: Ability): boolean | null {
      const sinceMs = goneMs.get(ability);
      const isGone = sinceMs !== undefined && clock.elapsed() - sinceMs < staysGoneMs;
      return isGone ? false : lastOf(ability);
    },
  };
}
