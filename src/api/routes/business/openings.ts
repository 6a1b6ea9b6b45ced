import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { balanceProofDescription, balanceProofs } from "../../../domain/chain/block-proof.ts";
import type { OpeningEntry } from "../../../domain/evidence/balances-at.ts";
import { toDecimal } from "../../../domain/money/amount.ts";
import { invalidField } from "../../../domain/text.ts";
import { count, decimalText, timeText } from "../../../schema/answers.ts";
import { flagField } from "../../../schema/fields.ts";

export type OpeningsDeps = Pick<BusinessLedger, "readOpenings">;

/** True if the request asks for the openings beside a wallet's transactions. */
export const openingsField = flagField(
  "True: `openings` is added to the answer, with the balances from before the wallet was watched. It needs `wallet_id`.",
);

/** Signed: an opening that was undone has an entry of the opposite amount. */
export const shownOpening = z
  .object({
    kind: z.string().meta({ examples: ["opening"] }),
    asset: z.string(),
    amount: decimalText,
    block_number: count.meta({
      description:
        "The block of this balance. Every movement above it is a transaction of its own.",
    }),
    recorded_at: timeText,
    proof: z
      .enum(balanceProofs)
      .nullable()
      .meta({
        description: `The proof of it. ${balanceProofDescription}. Null: it is not the opening any more, or of before this was kept.`,
      }),
  })
  .meta({ id: "Opening" });

/**
 * The openings of a wallet, if the request asks for them beside a list.
 * @throws Fault `invalid_request`, `wallet_not_found`
 */
export async function openingsBeside(
  { readOpenings }: OpeningsDeps,
  asked: { isAsked: boolean; businessId: string; walletId: string | undefined },
): Promise<{ openings?: z.output<typeof shownOpening>[] }> {
  const { isAsked, businessId, walletId } = asked;
  if (!isAsked) return {};
  if (walletId === undefined) throw invalidField("openings", "must come with wallet_id");
  return { openings: (await readOpenings({ businessId, walletId })).map(present) };
}

function present(entry: OpeningEntry): z.output<typeof shownOpening> {
  const { kind, assetCode, assetDecimals, amountAtomic, blockNumber, recordedAt } = entry;
  return {
    kind,
    asset: assetCode,
    amount: toDecimal(amountAtomic, assetDecimals),
    block_number: Number(blockNumber),
    recorded_at: recordedAt.toISOString(),
    proof: entry.proof,
  };
}
