import type { Address } from "../domain/address.ts";
import type { AssetAddress } from "../domain/movement.ts";

/** Whose balance, of what. */
export type Holding = { walletAddress: Address; assetAddress: AssetAddress };
