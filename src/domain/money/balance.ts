import type { Address } from "../chain/address.ts";
import type { BalanceProof } from "../chain/block-proof.ts";
import type { AssetAddress } from "./movement.ts";

/** Names a balance in the ledger: a wallet and an asset of its chain. */
export type BalanceKey = { walletId: string; assetId: number };

/** The same for each equal key, as a key of a map. */
export const balanceKeyOf = ({ walletId, assetId }: BalanceKey): string => `${walletId}/${assetId}`;

/**
 * Balances in the order asked, in atomic units, each with its own proof. `disputed`: the indexes at
 * which hosts answer different amounts; the amount there is the first host's. `reverted`: the
 * indexes at which the token's contract fails; the amount there is unknown, and 0. `silent`: the
 * hosts that did not answer, if some amounts therefore depend on one endpoint.
 */
export type BalancesRead = {
  amounts: bigint[];
  proofs: BalanceProof[];
  disputed: readonly number[];
  reverted: readonly number[];
  silent: readonly string[];
};

/** Asks a chain for the balance of an address in an asset. */
export type BalanceQuestion = { walletAddress: Address; assetAddress: AssetAddress };
