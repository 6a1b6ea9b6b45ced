import type { Price, PriceProof } from "../price/price.ts";

/** The sum of all wallets of a business in one asset of one chain. */
export type Holding = {
  chainName: string;
  code: string;
  decimals: number;
  confirmedAtomic: bigint;
  /** Incoming transfers that are not yet confirmed. */
  pendingAtomic: bigint;
  /** The price of one unit; null: no fresh price is known. `proof`: see AssetPrice. */
  price: (Price & { proof: PriceProof | null }) | null;
};

/**
 * `syncingWallets`: how many wallets have an unknown opening balance in some asset. The holdings
 * leave exactly these balances out.
 */
export type Holdings = { holdings: Holding[]; syncingWallets: number };

/** An amount with its decimals. */
export type Amount = { atomic: bigint; decimals: number };

/** The exact sum of two amounts, in the larger of their decimals. */
export function addAmounts(a: Amount, b: Amount): Amount {
  const decimals = Math.max(a.decimals, b.decimals);
  const scaled = (amount: Amount) => amount.atomic * 10n ** BigInt(decimals - amount.decimals);
  return { atomic: scaled(a) + scaled(b), decimals };
}
