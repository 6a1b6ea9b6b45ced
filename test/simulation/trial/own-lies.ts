import { changing, hex, nonsenseHash } from "../../support/chain/liar/changing.ts";
import { type JsonObject, type Lie, lie } from "../../support/chain/liar/lie.ts";

/**
 * Lies that need the chain of a simulation. One block above what the chain calls final: a watcher
 * that has it can compare the hash, and one that has not confirms no more than is final.
 */
export const ownLies: ReadonlyMap<string, Lie> = new Map([
  [
    "finalized a block early, with another hash",
    lie(
      changing(
        ({ method, params }) => method === "eth_getBlockByNumber" && params[0] === "finalized",
        (block: JsonObject) => ({
          ...block,

          number: hex(BigInt(String(block["number"])) + 1n),
          hash: nonsenseHash,
        }),
      ),
    ),
  ],
]);
