import { z } from "zod";
import type { WalletBalancesAt } from "../domain/evidence/balances-at.ts";
import { toDecimal } from "../domain/money/amount.ts";
import { count, decimalText, hashText, idText } from "./answers.ts";

/** The balances of a wallet at a block. */
export const walletBalances = z
  .object({
    wallet_id: idText,
    blockchain: z.string(),
    block_number: count,
    block_hash: hashText
      .nullable()
      .meta({ description: "Null where only the number is still stored." }),
    balances: z.array(
      z.object({
        asset: z.string(),
        amount: decimalText.nullable().meta({
          description: "Null where the ledger cannot know it: the wallet was not watched yet.",
        }),
        compared_block: count.nullable().meta({
          description:
            "Up to this block ledger and chain were found to say the same of it. Null: not compared since it began to be watched.",
        }),
      }),
    ),
  })
  .meta({ id: "WalletBalances" });

export function presentWalletBalances(at: WalletBalancesAt): z.output<typeof walletBalances> {
  return {
    wallet_id: at.walletId,
    blockchain: at.chainName,
    block_number: Number(at.number),
    block_hash: at.hash,
    balances: at.balances.map(({ assetCode, assetDecimals, amountAtomic, comparedNumber }) => ({
      asset: assetCode,
      amount: amountAtomic === null ? null : toDecimal(amountAtomic, assetDecimals),
      compared_block: comparedNumber === null ? null : Number(comparedNumber),
    })),
  };
}
