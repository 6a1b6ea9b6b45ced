import type { Price } from "../price/price.ts";

/** What all of a business's wallets together hold of one asset of one chain. */
export type Holding = {
  chainName: string;
  code: string;
  decimals: number;
  confirmedAtomic: bigint;
  /** Incoming, not yet confirmed. */
  pendingAtomic: bigint;
  /** What a unit is worth; null where nobody has said so lately. */
  price: Price | null;
};

/** `syncingWallets` have no opening balance yet and are left out of the holdings. */
export type Holdings = { holdings: Holding[]; syncingWallets: number };

/** An amount with the decimals it is counted in. */
export type Amount = { atomic: bigint; decimals: number };

/** The exact sum of two amounts, in the finer of their decimals. */
export function addAmounts(a: Amount, b: Amount): Amount {
  const decimals = Math.max(a.decimals, b.decimals);
  const scaled = (amount: Amount) => amount.atomic * 10n ** BigInt(decimals - amount.decimals);
  return { atomic: scaled(a) + scaled(b), decimals };
}
