import { z } from "zod";
import { type OpenMatter, openMatters } from "../domain/evidence/open-matter.ts";
import { keysOf, meaningsIn } from "../domain/keys-of.ts";
import { idText, namedValues } from "./answers.ts";

/** A matter, as the index of a closed month and a business see it. */
export const shownMatter = z.object({
  kind: z.enum(keysOf(openMatters)).meta({ description: meaningsIn(openMatters) }),
  blockchain: z.string().nullable(),
  wallet_id: idText.nullable(),
  asset: z.string().nullable(),
  transaction_id: idText.nullable(),
  what: z.string(),
  values: namedValues.meta({
    description:
      "The values in `what` that stand in no other field. `differs` has the block, the ledger's balance and the chain's.",
    examples: [{ block_number: 21_000_000, ledger: "1.5", chain: "2" }],
  }),
});

export function presentMatter(matter: OpenMatter): z.output<typeof shownMatter> {
  return {
    kind: matter.kind,
    blockchain: matter.chainName,
    wallet_id: matter.walletId,
    asset: matter.assetCode,
    transaction_id: matter.transactionId,
    what: matter.what,
    values: { ...matter.values },
  };
}
