import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import type { AsOf } from "../../../domain/evidence/balances-at.ts";
import { toDecimal } from "../../../domain/money/amount.ts";
import { requireId } from "../../../domain/not-found.ts";
import {
  count,
  dataAnswer,
  dataBody,
  decimalText,
  hashText,
  idText,
} from "../../../schema/answers.ts";
import { atField } from "../../../schema/fields.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type WalletBalancesDeps = Pick<BusinessLedger, "readWalletBalancesAt">;

const shown = z
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

export function walletBalancesRoutes(web: Web, deps: WalletBalancesDeps): void {
  const schema = {
    tags: ["Wallets"],
    summary: "What a wallet held at a block",
    description:
      "By the ledger, at a confirmed block: by its number, or the newest one that the ledger knows at a moment. Without `at`: at the confirmed height.",
    params: z.strictObject({ wallet_id: z.string() }),
    querystring: z.strictObject({ at: atField.optional() }),
    response: { 200: dataAnswer(shown) },
  };
  web.get("/wallets/:wallet_id/balances", { schema }, async (request) => {
    const walletId = requireId(request.params.wallet_id, "wallet_not_found");
    const businessId = businessOf(request);
    const at: AsOf = request.query.at ?? { kind: "confirmed" };
    const { chainName, number, hash, balances } = await deps.readWalletBalancesAt({
      businessId,
      walletId,
      at,
    });
    return dataBody({
      wallet_id: walletId,
      blockchain: chainName,
      block_number: Number(number),
      block_hash: hash,
      balances: balances.map(({ assetCode, assetDecimals, amountAtomic, comparedNumber }) => ({
        asset: assetCode,
        amount: amountAtomic === null ? null : toDecimal(amountAtomic, assetDecimals),
        compared_block: comparedNumber === null ? null : Number(comparedNumber),
      })),
    });
  });
}
