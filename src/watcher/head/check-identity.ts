import type { Hash } from "../../domain/chain/block.ts";
import type { KnownGenesis } from "../../domain/chain/profiles/known-genesis.ts";
import { Fault } from "../../domain/fault.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";

type Chain = Pick<ChainSource, "identity">;

/**
 * Refuses endpoints that serve another chain than the configured one, or than the chain that this
 * database knows (docs/invariants.md#i2). Until the database knows one, `genesis` decides.
 * @returns the genesis hash
 * @throws Fault `wrong_chain_id`, `wrong_genesis`, or what asking throws
 */
export async function checkIdentity(
  chain: Chain,
  expected: {
    chainName: string;
    chainId: number;
    genesis: KnownGenesis | null;
    genesisHash: Hash | null;
  },
): Promise<Hash> {
  const { chainName, chainId, genesis, genesisHash } = expected;
  const actual = await chain.identity(genesisHash ?? genesis?.hash ?? null);
  if (actual.chainId !== chainId) {
    throw new Fault(
      "wrong_chain_id",
      `Chain '${chainName}' is configured with chain_id ${chainId}, but its endpoint serves chain ${actual.chainId}: correct chain_id or rpc.`,
    );
  }
  if (genesisHash !== null && actual.genesisHash !== genesisHash) {
    throw new Fault(
      "wrong_genesis",
      `The endpoint of chain '${chainName}' serves another chain than this database knows (genesis ${actual.genesisHash}, known ${genesisHash}). Correct rpc, or forget the old chain with 'chain reset ${chainName}'.`,
    );
  }
  if (genesisHash === null && genesis !== null && actual.genesisHash !== genesis.hash) {
    throw new Fault(
      "wrong_genesis",
      `The endpoint of chain '${chainName}' does not serve chain_id ${chainId}: its genesis is ${actual.genesisHash} and not ${genesis.hash} (${genesis.source}). Correct rpc, or set genesis_hash for a chain of your own.`,
    );
  }
  return actual.genesisHash;
}
