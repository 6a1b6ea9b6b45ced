import { z } from "zod";
import { totalKeys } from "../../../domain/business/totals.ts";
import { statementPeriod } from "../../../domain/evidence/statement-period.ts";
import { keysOf } from "../../../domain/keys-of.ts";
import { transactionTypes } from "../../../domain/money/transaction.ts";
import { dataAnswer, dataBody } from "../../../schema/answers.ts";
import { given, valuesField } from "../../../schema/fields.ts";
import { isTotalKey, partsBy, presentTotal, shownTotal } from "../../../schema/totals.ts";
import { type ListDeps, listed } from "../../answers/served.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";
import { periodFields, statementFilterFields } from "./statements.ts";

const byRule = `expected some of ${totalKeys.join(", ")}, with commas between them`;

const byField = valuesField(isTotalKey, { rule: byRule })
  .optional()
  .meta({
    type: "string",
    description: `The groups into which each asset is divided, with commas between them: ${totalKeys.join(", ")}.`,
    examples: ["type,month"],
  });

const types = keysOf(transactionTypes);

const query = z.strictObject({
  ...periodFields,
  by: byField,
  ...statementFilterFields,
  type: z.enum(types, `expected one of ${types.join(", ")}`).optional(),
});

/** GET /totals: docs/contract.md#totals. */
export function totalsRoutes(web: Web, deps: ListDeps): void {
  const schema = {
    tags: ["Transactions"],
    summary: "Totals of a period by asset: money in and money out",
    description:
      "By the times of the blocks, of every type of transaction. Confirmed ones are apart from those that are pending and those that were reversed; dropped ones are left out. Every sum is exact.",
    querystring: query,
    response: { 200: dataAnswer(z.array(shownTotal)) },
    refuses: ["wallet_not_found", "chain_not_found"] as const,
    mayBeStale: true,
  };
  web.get("/totals", { schema }, async (request, reply) => {
    const { month, from, to, time_zone: zone, by = [], ...of } = request.query;
    const period = statementPeriod({ month, from, to, zone });
    const asked = {
      businessId: businessOf(request),
      period,
      filter: given({
        chainName: of.blockchain,
        assetCode: of.asset,
        walletId: of.wallet_id,
        label: of.label,
        referencePrefix: of.reference_prefix,
        type: of.type,
      }),
      by,
      parts: partsBy(period, by),
    };
    const totals = await listed(reply, deps, (ledger) => ledger.readTotals(asked));
    return dataBody(totals.map((one) => presentTotal(one, by)));
  });
}
