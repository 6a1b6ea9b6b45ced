import type { Hash } from "../domain/chain/block.ts";
import type { Tracing, TracingChoice } from "../domain/chain/block-proof.ts";
import type { NativeAlias } from "../domain/chain/profile.ts";
import { type Aliases, isCoinLogged } from "./decode/coin-logs.ts";
import type { EndpointPool } from "./endpoints/endpoint-pool.ts";

/** What the blocks of a chain show of its coin, as they are read now. */
export function createShownMoves(
  ports: {
    pool: Pick<EndpointPool, "leader">;
    /** Whether a block has an access list, as its hash shows. */
    hasAccessList: (blockHash: Hash) => Promise<boolean>;
  },
  rules: { tracing: TracingChoice; aliases: Aliases },
) {
  const { pool, hasAccessList } = ports;
  const { tracing, aliases } = rules;
  const has = (logs: NativeAlias["logs"]) => [...aliases.values()].some((one) => one.logs === logs);
  const [isAllLogged, mayBeLogged] = [has("all"), has("amsterdam")];

  function isHeadLogged(): boolean {
    const head = pool.leader().announced;
    return isAllLogged || (head !== null && isCoinLogged(head, aliases));
  }

  /** Null: not found out yet. */
  function tracingNow(): Tracing | null {
    if (tracing !== "auto") return tracing;
    return pool.leader().learned.tracing;
  }

  return {
    /** How the newest blocks are traced; null: not found out yet. */
    tracing: (): Tracing | null => (tracing === "auto" && isHeadLogged() ? "off" : tracingNow()),

    /** Whether the newest blocks show what contracts pay. */
    showsNow: (): boolean => isHeadLogged() || tracingNow() !== "off",

    /** See ChainSource. */
    showsInternalMoves: async (blockHash: Hash): Promise<boolean> =>
      isAllLogged || tracingNow() !== "off" || (mayBeLogged && hasAccessList(blockHash)),
  };
}
