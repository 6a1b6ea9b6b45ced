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
 * Families whose headers commit to the state after the block itself, in Ethereum's own trie. Other
 * families commit to it later, or in another form.
 */
const familiesWithState: readonly string[] = [
  ...["Ethereum", "development", "OP stack", "Arbitrum Nitro", "Polygon Bor", "BNB Smart Chain"],
];

/** Two headers are kept for each block with movements of ours: the newest few hundred blocks. */
const keptHeaders = 1_000;

export type StateRules = {
  proof: BlockProof;
  profile: Pick<ChainProfile, "header" | "family">;
};

/** True if the block's hash can prove the state after the block. */
export function hasProvenState({ proof, profile }: StateRules): boolean {
  return proof.header && familiesWithState.includes(profile.family);
}

/** The hashes in a header, besides those of its transactions and receipts. */
type ProvenHeader = {
  /** The root of the state after the block. */
  stateRoot: Hash;
  /**
   * The hash of the block's access list: the accounts and slots that the block used, and their new
   * values (EIP-7928). Null: it has no such list.
   */
  accessListHash: Hash | null;
};

export type ProvenHeaders = ReturnType<typeof createProvenHeaders>;

/** Proved headers, by their hash. A hash covers its header, so a kept header stays right. */
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
    /** Keeps the header of a block that was proved by its hash. It is not asked for again. */
    keep({ hash, raw }: RpcBlock): void {
      if (proof.header && !known.has(hash) && raw["stateRoot"] !== undefined) add(hash, raw);
    },

    /**
     * Reads the header with this hash.
     * @throws Fault `rpc_inconsistent` if the endpoint's header has another hash;
     *   `state_unavailable` if the endpoint has no such block; `rpc_unavailable`
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
