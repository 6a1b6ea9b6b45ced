import { z } from "zod";
import {
  type Total,
  type TotalKey,
  type TotalSums,
  totalKeys,
} from "../../../domain/business/totals.ts";
import {
  type PeriodPart,
  partsOf,
  type StatementPeriod,
  statementPeriod,
} from "../../../domain/evidence/statement-period.ts";
import { keysOf } from "../../../domain/keys-of.ts";
import { transactionTypes } from "../../../domain/money/transaction.ts";
import { invalidField } from "../../../domain/text.ts";
import { count, dataAnswer, dataBody, decimalText } from "../../../schema/answers.ts";
import { given } from "../../../schema/fields.ts";
import { type ListDeps, listed } from "../../answers/served.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";
import { periodFields, statementFilterFields } from "./statements.ts";

const byRule = `expected some of ${totalKeys.join(", ")}, with commas between them`;

const isTotalKey = (name: string): name is TotalKey => totalKeys.some((key) => key === name);

const byField = z
  .string()
  .transform((text, context): TotalKey[] => {
    const names = text.split(",");
    if (names.every(isTotalKey)) return names;
    context.issues.push({ code: "custom", message: byRule, input: text });
    return z.NEVER;
  })
  .optional()
  .meta({
    type: "string",
    description: `How each asset is divided, with commas between them: ${totalKeys.join(", ")}.`,
    examples: ["type,month"],
  });

const types = keysOf(transactionTypes);

const query = z.strictObject({
  ...periodFields,
  by: byField,
  ...statementFilterFields,
  type: z.enum(types, `expected one of ${types.join(", ")}`).optional(),
});

const sums = z.object({ count, in: decimalText, out: decimalText });

const usd = decimalText.nullable().meta({
  description:
    "At confirmation, of the transactions whose value is known. Null where there are some, and no value is known.",
});

const total = z
  .object({
    asset: z.string(),
    blockchain: z.string().optional(),
    type: z.enum(types).optional(),
    label: z.string().nullable().optional().meta({ description: "Null: of wallets without one." }),
    period: z
      .string()
      .optional()
      .meta({ examples: ["2026-10"] }),
    completed: sums.extend({
      usd_in: usd,
      usd_out: usd,
      unpriced: count.meta({ description: "Transactions without a known value in dollars." }),
    }),
    pending: sums,
    reversed: sums,
  })
  .meta({ id: "Total" });

/** GET /totals: docs/contract.md#totals. */
export function totalsRoutes(web: Web, deps: ListDeps): void {
  const schema = {
    tags: ["Transactions"],
    summary: "Totals of a period by asset: money in and money out",
    description:
      "By the times of the blocks, of every type of transaction. Confirmed ones are apart from those that are pending and those that were reversed; dropped ones are left out. Every sum is exact.",
    querystring: query,
    response: { 200: dataAnswer(z.array(total)) },
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
      parts: partsIn(period, by),
    };
    const totals = await listed(reply, deps, (ledger) => ledger.readTotals(asked));
    return dataBody(totals.map((one) => present(one, by)));
  });
}

function partsIn(period: StatementPeriod, by: readonly TotalKey[]): PeriodPart[] | null {
  const [unit, other] = (["day", "month"] as const).filter((one) => by.includes(one));
  if (other !== undefined) throw invalidField("by", "expected day or month, not both");
  return unit === undefined ? null : partsOf(period, unit);
}

function present(one: Total, by: readonly TotalKey[]): z.output<typeof total> {
  const { usdIn, usdOut, unpriced, ...completed } = one.completed;
  return {
    asset: one.assetCode,
    ...given({
      blockchain: one.chainName ?? undefined,
      type: one.type ?? undefined,
      label: by.includes("label") ? one.label : undefined,
      period: one.part ?? undefined,
    }),
    completed: { ...presentSums(completed), usd_in: usdIn, usd_out: usdOut, unpriced },
    pending: presentSums(one.pending),
    reversed: presentSums(one.reversed),
  };
}

function presentSums({ count: many, in: into, out }: TotalSums): z.output<typeof sums> {
  return { count: many, in: into, out };
}
