import type { Address } from "../../domain/chain/address.ts";
import type { AssetAddress } from "../../domain/money/movement.ts";

/** Whose balance, of what. */
export type Holding = { walletAddress: Address; assetAddress: AssetAddress };
