import type { Hash } from "../domain/chain/block.ts";
import type { Tracing, TracingChoice } from "../domain/chain/block-proof.ts";
import type { NativeAlias } from "../domain/chain/profile.ts";
import { type Aliases, isCoinLogged } from "./decode/coin-logs.ts";
import type { Capabilities } from "./endpoints/capabilities.ts";
import type { EndpointPool } from "./endpoints/endpoint-pool.ts";

/** Decides which moves of the coin the blocks of a chain show, as they are read now. */
export function createShownMoves(
  ports: {
    pool: Pick<EndpointPool, "leader">;
    capabilities: Pick<Capabilities, "tracing" | "isUntraced">;
    /** True if a block has an access list, by a header with its hash. */
    hasAccessList: (blockHash: Hash) => Promise<boolean>;
  },
  rules: { tracing: TracingChoice; aliases: Aliases },
) {
  const { pool, capabilities, hasAccessList } = ports;
  const { tracing, aliases } = rules;
  const has = (logs: NativeAlias["logs"]) => [...aliases.values()].some((one) => one.logs === logs);
  const [isAllLogged, mayBeLogged] = [has("all"), has("amsterdam")];

  function isHeadLogged(): boolean {
    const head = pool.leader().announced;
    return isAllLogged || (head !== null && isCoinLogged(head, aliases));
  }

  return {
    /** The way to trace the newest blocks; null: not known yet. */
    tracing: (): Tracing | null =>
      tracing === "auto" && isHeadLogged() ? "off" : capabilities.tracing(),

    /** True if the newest blocks show the payments of contracts. */
    showsNow: (): boolean => isHeadLogged() || capabilities.tracing() !== "off",

    /** See ChainSource. */
    showsInternalMoves: async (blockHash: Hash): Promise<boolean> =>
      isAllLogged ||
      !(await capabilities.isUntraced()) ||
      (mayBeLogged && hasAccessList(blockHash)),
  };
}
