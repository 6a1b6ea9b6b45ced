import type { Hex } from "viem";
import type { Address } from "../domain/address.ts";
import type { Hash } from "../domain/block.ts";
import { Fault } from "../domain/fault.ts";
import { type AssetAddress, nativeAddress } from "../domain/movement.ts";
import type { RpcClient } from "./rpc-client.ts";
import { asking, refusalIn } from "./rpc-fault.ts";

/** Whose balance, of what. */
export type Holding = { walletAddress: Address; assetAddress: AssetAddress };

/**
 * The balances of holdings at the state after one block, named by its hash (EIP-1898), in the order asked, in atomic
 * units. A token that is not deployed at that block is held by nobody.
 * @throws Fault `state_unavailable` where the endpoint no longer has that state (or refuses it); `rpc_unavailable`
 */
export async function readBalances(
  client: RpcClient,
  blockHash: Hash,
  holdings: Holding[],
): Promise<bigint[]> {
  const at = { blockHash, requireCanonical: true };
  const request = client.request as (call: { method: string; params: unknown[] }) => Promise<Hex>;
  return Promise.all(
    holdings.map(({ walletAddress, assetAddress }) =>
      asking(`balance of ${walletAddress}`, async () => {
        try {
          if (assetAddress === nativeAddress) {
            return BigInt(await request({ method: "eth_getBalance", params: [walletAddress, at] }));
          }
          const call = { to: assetAddress, data: balanceOfData(walletAddress) };
          const word = await request({ method: "eth_call", params: [call, at] });
          return word === "0x" ? 0n : BigInt(word);
        } catch (error) {
          throw refusalIn(error) === undefined ? error : stateGone(blockHash, error);
        }
      }),
    ),
  );
}

/** balanceOf(address), ERC-20. */
function balanceOfData(owner: Address): Hex {
  return `0x70a08231${owner.slice(2).padStart(64, "0")}`;
}

function stateGone(blockHash: Hash, cause: unknown): Fault {
  return new Fault(
    "state_unavailable",
    `The endpoint does not give balances at block ${blockHash}.`,
    { cause },
  );
}
