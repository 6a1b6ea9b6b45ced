import type { Business } from "../../domain/business/business.ts";
import {
  type Total,
  type TotalKey,
  type TotalsAsked,
  totalKeys,
} from "../../domain/business/totals.ts";
import { statementPeriod } from "../../domain/evidence/statement-period.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { type TransactionType, transactionTypes } from "../../domain/money/transaction.ts";
import { requireId } from "../../domain/not-found.ts";
import { given } from "../../schema/fields.ts";
import { partsBy, presentTotal, totalKeysIn } from "../../schema/totals.ts";
import { defineCommand } from "../define-command.ts";
import { oneOf, optional, type Reader, required, text } from "../parameter.ts";

type Ports = {
  ledger: {
    readBusiness: (id: string) => Promise<Business>;
    readTotals: (asked: TotalsAsked) => Promise<Total[]>;
  };
};

type Input = {
  business: string;
  month: string | undefined;
  from: string | undefined;
  to: string | undefined;
  zone: string | undefined;
  by: TotalKey[] | undefined;
  blockchain: string | undefined;
  asset: string | undefined;
  wallet: string | undefined;
  label: string | undefined;
  reference: string | undefined;
  type: TransactionType | undefined;
};

const keys: Reader<TotalKey[]> = {
  expected: `Expected some of ${totalKeys.join(", ")}, with commas between them.`,
  read: totalKeysIn,
};

/**
 * Shows how much came in and went out of a business's wallets in a period, as `GET /totals` does
 * for the business. Only reads.
 * @throws Fault `invalid_request`, `business_not_found`, `wallet_not_found`, `chain_not_found`
 */
export const totals = defineCommand({
  noun: null,
  name: "totals",
  help: "Add up what came into and went out of a business's wallets, by asset. The times of the blocks decide the period. Confirmed transactions are apart from pending and reversed ones.",
  examples: [
    "totals --business 018f… --month 2026-10 --by type",
    "totals --business 018f… --from 2026-01-01 --to 2027-01-01 --by month,label --json",
  ],
  takes: {
    business: required("--business <id>", text, "of this business"),
    month: optional("--month <month>", text, "of a month, such as 2026-10"),
    from: optional("--from <time>", text, "or from this date or moment on"),
    to: optional("--to <time>", text, "up to this date or moment, which is not included"),
    zone: optional("--time-zone <name>", text, "the time zone of months and dates; UTC by default"),
    by: optional("--by <keys>", keys, `divided by some of ${totalKeys.join(", ")}`),
    blockchain: optional("--blockchain <name>", text, "of this chain alone"),
    asset: optional("--asset <code>", text, "of this asset alone"),
    wallet: optional("--wallet <id>", text, "of this wallet alone"),
    label: optional("--label <label>", text, "of the wallets with this label"),
    reference: optional(
      "--reference <prefix>",
      text,
      "of the wallets with a reference that begins with this text",
    ),
    type: optional("--type <word>", oneOf(keysOf(transactionTypes)), "of this type alone"),
  },
  async run({ ledger }: Ports, input: Input) {
    const { by = [] } = input;
    const period = statementPeriod(input);
    const businessId = requireId(input.business, "business_not_found");
    await ledger.readBusiness(businessId);
    const found = await ledger.readTotals({
      businessId,
      period,
      filter: given({
        chainName: input.blockchain,
        assetCode: input.asset,
        walletId: input.wallet && requireId(input.wallet, "wallet_not_found"),
        label: input.label,
        referencePrefix: input.reference,
        type: input.type,
      }),
      by,
      parts: partsBy(period, by),
    });
    return found.map((one) => presentTotal(one, by));
  },
});
