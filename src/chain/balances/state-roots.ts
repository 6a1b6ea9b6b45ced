import type { Hash } from "../../domain/chain/block.ts";
import type { BlockProof } from "../../domain/chain/block-proof.ts";
import type { ChainProfile } from "../../domain/chain/profile.ts";
import { Fault } from "../../domain/fault.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { headerHashes } from "../proof/hashing/header-hash.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { readHash, readObject } from "../rpc/rpc-value.ts";

/** Whose headers commit to the state after the block itself, in Ethereum's own trie. Others settle it later, or differently. */
const familiesWithState: readonly string[] = [
  ...["Ethereum", "development", "OP stack", "Arbitrum Nitro", "Polygon Bor", "BNB Smart Chain"],
];

/** Two for each block that holds something of ours: the newest some hundred blocks. */
const keptRoots = 1_000;

export type StateRules = {
  proof: BlockProof;
  profile: Pick<ChainProfile, "header" | "family">;
};

/** Whether the state after a block can be proved by the block's hash. */
export function hasProvenState({ proof, profile }: StateRules): boolean {
  return proof.header && familiesWithState.includes(profile.family);
}

/** The state roots of blocks by their hash; a hash covers its root, so what was found once stays. */
export function createStateRoots(profile: StateRules["profile"]) {
  const known = new Map<Hash, Hash>();

  /**
   * The root of the state after a block, out of a header that has this very hash.
   * @throws Fault `rpc_inconsistent` where the endpoint's header does not have it; `state_unavailable` where it has no such
   *   block; `rpc_unavailable`
   */
  return async function rootAfter(
    endpoint: Endpoint,
    blockHash: Hash,
    keccak: Keccak,
  ): Promise<Hash> {
    const found = known.get(blockHash);
    if (found !== undefined) return found;
    const call = { method: "eth_getBlockByHash", params: [blockHash, false] };
    const answer = await endpoint.ask(`header of block ${blockHash}`, call);
    if (answer === null || answer === undefined)
      throw new Fault(
        "state_unavailable",
        `Endpoint ${endpoint.name} does not have block ${blockHash}.`,
      );
    const raw = readObject(answer, "block");
    if (!headerHashes(keccak, profile.header, { raw, hash: blockHash }))
      throw new Fault(
        "rpc_inconsistent",
        `The header that endpoint ${endpoint.name} has for block ${blockHash} does not have that hash.`,
      );
    const root = readHash(raw["stateRoot"], "stateRoot");
    known.set(blockHash, root);
    const [oldest] = known.keys();
    if (known.size > keptRoots && oldest !== undefined) known.delete(oldest);
    return root;
  };
}
