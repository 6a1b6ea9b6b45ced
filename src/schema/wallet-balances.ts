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
      .meta({ description: "The hash of the block. Null: only its number is still stored." }),
    balances: z.array(
      z.object({
        asset: z.string(),
        amount: decimalText.nullable().meta({
          description:
            "The amount that the wallet held, as an exact decimal. Null: the wallet was not watched yet at that block.",
        }),
        compared_block: count.nullable().meta({
          description:
            "The newest block at which the ledger's balance was found equal to the chain's. Null: the two were not compared yet.",
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
