import type { Hash } from "../../../domain/chain/block.ts";
import { faultIn } from "../../../domain/fault.ts";
import type { ChainIdentity } from "../../../domain/watch/chain-source.ts";
import { askChainId } from "../../endpoints/chain-id.ts";
import { type Endpoint, failureKindIn } from "../../endpoints/endpoint.ts";
import { askHeader } from "./ask-header.ts";

/** The chain that the endpoint serves, as the endpoint says. */
export async function askIdentity(endpoint: Endpoint): Promise<ChainIdentity> {
  const [chainId, genesisHash] = await Promise.all([askChainId(endpoint), askGenesis(endpoint)]);
  return { chainId, genesisHash };
}

/**
 * The hash of the first block. Nodes of HyperEVM do not serve block 0, so it is read as the parent
 * of block 1.
 */
async function askGenesis(endpoint: Endpoint): Promise<Hash> {
  try {
    return (await askHeader(endpoint, 0n, "alone")).hash;
  } catch (error) {
    const kind = failureKindIn(error);
    const isWithout = kind === "refused" || faultIn(error)?.code === "rpc_inconsistent";
    if (!isWithout) throw error;
    return (await askHeader(endpoint, 1n, "alone")).parentHash;
  }
}
