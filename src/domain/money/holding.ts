import type { Price, PriceProof } from "../price/price.ts";

/** The holding of all wallets of a business together, in one asset of one chain. */
export type Holding = {
  chainName: string;
  code: string;
  decimals: number;
  confirmedAtomic: bigint;
  /** Incoming transfers that are not yet confirmed. */
  pendingAtomic: bigint;
  /** The price of a unit; null if nobody has said it lately. `proof`: see AssetPrice. */
  price: (Price & { proof: PriceProof | null }) | null;
};

/**
 * `syncingWallets` counts wallets whose opening balance in some asset is not known yet. The
 * holdings leave these balances out, and no others.
 */
export type Holdings = { holdings: Holding[]; syncingWallets: number };

/** An amount with the decimals it is counted in. */
export type Amount = { atomic: bigint; decimals: number };

/** The exact sum of two amounts, in the finer of their decimals. */
export function addAmounts(a: Amount, b: Amount): Amount {
  const decimals = Math.max(a.decimals, b.decimals);
  const scaled = (amount: Amount) => amount.atomic * 10n ** BigInt(decimals - amount.decimals);
  return { atomic: scaled(a) + scaled(b), decimals };
}
