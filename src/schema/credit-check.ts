import { z } from "zod";
import { toChecksum } from "../domain/chain/checksum.ts";
import {
  type AssetSummary,
  type CheckedLine,
  type CreditCheck,
  type LineChange,
  lineChanges,
} from "../domain/credits/credit-check.ts";
import { creditProblems } from "../domain/credits/credit-problem.ts";
import { creditFormats } from "../domain/credits/read-credits.ts";
import {
  creditVerdicts,
  guideTo,
  type VerdictName,
  verdictNames,
} from "../domain/credits/verdicts.ts";
import { keysOf, meaningsIn } from "../domain/keys-of.ts";
import {
  addressText,
  count,
  decimalText,
  hashText,
  idText,
  namedValues,
  timeText,
} from "./answers.ts";

// A run that compares credits with the ledger, as a business and an operator see it.

const verdictText = z.enum(verdictNames).meta({ description: meaningsIn(creditVerdicts) });

const counts = z.object(
  Object.fromEntries(verdictNames.map((name) => [name, count])) as Record<
    VerdictName,
    typeof count
  >,
);

const assetSummary = z
  .object({
    asset: z.string().nullable().meta({
      description:
        "The code of the asset. Null: this row counts the codes that the installation does not know. It has no sums.",
    }),
    credits: count,
    credited: decimalText.nullable(),
    received: decimalText.nullable().meta({
      description:
        "The confirmed sum of the credited transactions, and of those that nobody credited. Null: the row has no sums.",
    }),
    difference: decimalText
      .nullable()
      .meta({ description: "`credited` less `received`. Null: one of them is null." }),
  })
  .meta({ id: "CreditedAsset" });

export const shownCheck = z
  .object({
    id: idText,
    created_at: timeText,
    finished_at: timeText,
    format: z.enum(keysOf(creditFormats)),
    digest: z.string().meta({
      description: "The SHA-256 of the bytes that were sent, in hex.",
      examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    }),
    credits: count.meta({ description: "The number of lines in the file, with malformed lines." }),
    from: timeText.meta({
      description:
        "The beginning of the period of the money that was to be credited. It is included.",
    }),
    to: timeText.meta({ description: "The end of that period. It is not included." }),
    counts: counts.meta({ description: "The number of lines with each verdict." }),
    assets: z.array(assetSummary),
  })
  .meta({ id: "CreditCheck" });

export function presentCheck(check: CreditCheck): z.output<typeof shownCheck> {
  return {
    id: check.id,
    created_at: check.createdAt.toISOString(),
    finished_at: check.finishedAt.toISOString(),
    format: check.format,
    digest: check.digest,
    credits: check.credits,
    from: check.periodFrom.toISOString(),
    to: check.periodTo.toISOString(),
    counts: check.counts,
    assets: check.assets.map((one: AssetSummary) => ({ ...one })),
  };
}

const example = creditVerdicts.other_amount.causes.decimals;

export const shownLine = z
  .object({
    line: count.nullable().meta({
      description: "The number of the line in the file, from 1. Null: money that no line names.",
    }),
    verdict: verdictText,
    cause: z
      .string()
      .nullable()
      .meta({
        description: "The cause of the verdict: a word that never changes. Null: the line matches.",
        examples: ["decimals"],
      }),
    likely_cause: z
      .string()
      .nullable()
      .meta({ examples: [example.cause] }),
    next_step: z
      .string()
      .nullable()
      .meta({ examples: [example.nextStep] }),
    change: z
      .enum(keysOf(lineChanges))
      .nullable()
      .meta({ description: `${meaningsIn(lineChanges)} Null without \`changes=true\`.` }),
    reference: z.string().nullable(),
    credited_at: timeText.nullable(),
    asset: z.string().nullable(),
    amount: decimalText.nullable(),
    transaction_id: idText.nullable(),
    tx_hash: hashText.nullable(),
    wallet_id: idText.nullable(),
    address: addressText.nullable(),
    received: z.object({ asset: z.string(), amount: decimalText }).nullable().meta({
      description:
        "Asset and amount of the transaction in the ledger. Null: the ledger has no such transaction.",
    }),
    problem: z
      .string()
      .nullable()
      .meta({
        description: "The reason why the line cannot be read. Null: it can be read.",
        examples: ["amount: missing"],
      }),
    problem_code: z
      .string()
      .nullable()
      .meta({
        description: `A stable word for \`problem\`. Null where there is none, or where an earlier release compared. ${meaningsIn(creditProblems)}`,
        examples: ["missing"],
      }),
    problem_values: namedValues.meta({
      description: "The values in `problem`, for a text of your own.",
      examples: [{ field: "amount" }],
    }),
    text: z
      .string()
      .nullable()
      .meta({
        description: "The whole text of a malformed line. Null: the line can be read.",
        examples: ["01a20098-8fc0-8000-8000-02911919b011,ETH,,credit-1,2026-01-31T12:00:00Z"],
      }),
  })
  .meta({ id: "CheckedCredit" });

export function presentLine(
  line: CheckedLine & { change?: LineChange },
): z.output<typeof shownLine> {
  const guide = guideTo(line.verdict, line.cause);
  const { receivedAsset: asset, receivedAmount: amount } = line;
  return {
    line: line.verdict === "not_credited" ? null : line.number,
    verdict: line.verdict,
    cause: line.cause,
    likely_cause: guide?.cause ?? null,
    next_step: guide?.nextStep ?? null,
    change: line.change ?? null,
    reference: line.reference,
    credited_at: line.creditedAt?.toISOString() ?? null,
    asset: line.asset,
    amount: line.amount,
    transaction_id: line.transactionId,
    tx_hash: line.txHash,
    wallet_id: line.walletId,
    address: line.address === null ? null : toChecksum(line.address),
    received: asset === null || amount === null ? null : { asset, amount },
    problem: line.problem,
    problem_code: line.problemCode,
    problem_values: { ...line.problemValues },
    text: line.text,
  };
}
