import type { Ability } from "../../domain/chain/ability.ts";
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
 * Keeps what an endpoint has shown by its answers. It only informs: how blocks are read follows
 * from the endpoint's capabilities.
 */
export function createShownAbilities() {
  /** By method: true if the last answer to it shows that the endpoint offers it. */
  const offered = new Map<string, boolean>();
  const gone = new Set<Ability>();

  function note(method: string, isOffered: boolean): void {
    if (Object.hasOwn(abilityOf, method)) offered.set(method, isOffered);
  }

  function lastOf(ability: Ability): boolean | null {
    const known = [...offered].filter(([method]) => abilityOf[method] === ability);
    if (known.length === 0) return null;
    return known.some(([, isOffered]) => isOffered);
  }

  return {
    answered(method: string): void {
      note(method, true);
    },

    failed(method: string, failure: RpcFailure): void {
      if (failure.kind === "unsupported") note(method, false);
      if (failure.kind !== "refused" || failure.isGone !== true) return;
      gone.add(ofState.has(method) ? "old_state" : "old_blocks");
    },

    /** Null: it has not been asked for that. An ability that has failed for old data stays so. */
    has: (ability: Ability): boolean | null => (gone.has(ability) ? false : lastOf(ability)),
  };
}
