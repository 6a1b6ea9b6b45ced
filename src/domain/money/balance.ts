import type { Address } from "../chain/address.ts";
import type { BalanceProof } from "../chain/block-proof.ts";
import type { AssetAddress } from "./movement.ts";

/** What names a balance in the ledger: a wallet and an asset of its chain. */
export type BalanceKey = { walletId: string; assetId: number };

/** Balances in the order asked, in atomic units; `proof` holds for each of them. */
export type BalancesRead = { amounts: bigint[]; proof: BalanceProof };

/** What a chain is asked: how much this address has of this asset. */
export type BalanceQuestion = { walletAddress: Address; assetAddress: AssetAddress };
