import type { Address } from "../chain/address.ts";
import type { BalanceProof } from "../chain/block-proof.ts";
import type { AssetAddress } from "./movement.ts";

/** The name of a balance in the ledger: a wallet and an asset of its chain. */
export type BalanceKey = { walletId: string; assetId: number };

/**
 * Balances in the order asked, in atomic units, each with its own proof. At the places in
 * `disputed` hosts answer different amounts, and the amount is the first one's. At the places in
 * `reverted` the token's contract fails: nobody knows the amount, and it is 0 here. `silent`: the
 * hosts that have not answered, where that leaves some of them one endpoint's word.
 */
export type BalancesRead = {
  amounts: bigint[];
  proofs: BalanceProof[];
  disputed: readonly number[];
  reverted: readonly number[];
  silent: readonly string[];
};

/** The question to a chain: the balance of an address in an asset. */
export type BalanceQuestion = { walletAddress: Address; assetAddress: AssetAddress };
