import type { Hash } from "../../domain/chain/block.ts";
import type { BlockProof } from "../../domain/chain/block-proof.ts";
import type { ChainProfile } from "../../domain/chain/profile.ts";
import { Fault } from "../../domain/fault.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { headerHashes } from "../proof/hashing/header-hash.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { type RpcBlock, readAccessListHash } from "../rpc/rpc-block.ts";
import { type RpcObject, readHash, readObject } from "../rpc/rpc-value.ts";

/**
 * Families whose headers commit to the state after the block itself, in Ethereum's own trie. Others
 * settle it later, or differently.
 */
const familiesWithState: readonly string[] = [
  ...["Ethereum", "development", "OP stack", "Arbitrum Nitro", "Polygon Bor", "BNB Smart Chain"],
];

/** Two for each block that holds something of ours: the newest some hundred blocks. */
const keptHeaders = 1_000;

export type StateRules = {
  proof: BlockProof;
  profile: Pick<ChainProfile, "header" | "family">;
};

/** True if the block's hash can prove the state after the block. */
export function hasProvenState({ proof, profile }: StateRules): boolean {
  return proof.header && familiesWithState.includes(profile.family);
}

/** The hashes that a header commits to beside those of its transactions and receipts. */
type ProvenHeader = {
  /** Of the state after the block. */
  stateRoot: Hash;
  /**
   * Of the accounts and slots that the block used, and of what it made of them (EIP-7928); null: it
   * has no such list.
   */
  accessListHash: Hash | null;
};

export type ProvenHeaders = ReturnType<typeof createProvenHeaders>;

/** Headers by the hash that they have; a hash covers its header, so what was found once stays. */
export function createProvenHeaders({ proof, profile }: StateRules) {
  const known = new Map<Hash, ProvenHeader>();

  function add(blockHash: Hash, raw: RpcObject): ProvenHeader {
    const stateRoot = readHash(raw["stateRoot"], "stateRoot");
    const header = { stateRoot, accessListHash: readAccessListHash(raw) };
    known.set(blockHash, header);
    const [oldest] = known.keys();
    if (known.size > keptHeaders && oldest !== undefined) known.delete(oldest);
    return header;
  }

  return {
    /**
     * Keeps the header of a block that was proved by its hash, so that it need not be asked for
     * again.
     */
    keep({ hash, raw }: RpcBlock): void {
      if (proof.header && !known.has(hash) && raw["stateRoot"] !== undefined) add(hash, raw);
    },

    /**
     * The header that has this very hash.
     * @throws Fault `rpc_inconsistent` where the endpoint's header does not have it;
     *   `state_unavailable` where it has no such block; `rpc_unavailable`
     */
    async of(endpoint: Endpoint, blockHash: Hash, keccak: Keccak): Promise<ProvenHeader> {
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
      if (headerHashes(keccak, profile.header, { raw, hash: blockHash }))
        return add(blockHash, raw);
      throw new Fault(
        "rpc_inconsistent",
        `The header that endpoint ${endpoint.name} has for block ${blockHash} does not have that hash.`,
      );
    },
  };
}
