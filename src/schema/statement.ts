import { z } from "zod";
import { actorVias } from "../domain/evidence/audit-chain.ts";
import type { MadeStatement, StatementUnderWay } from "../domain/evidence/made-statement.ts";
import { statedSignature } from "../domain/evidence/signing-key.ts";
import { count, hashText, height, idText, timeText } from "./answers.ts";

// A stored statement, as a business and an operator see it.

const digestText = z.string().meta({
  examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
});

const bound = z
  .object({
    block: height,
    block_hash: hashText
      .nullable()
      .meta({ description: "The hash of the block. Null: it is no longer stored." }),
    block_time: timeText.nullable(),
    seal: count,
    seal_hash: digestText.nullable(),
    final: z.boolean().meta({
      description: "True: the moment is confirmed. False: it was not when the statement was made.",
    }),
  })
  .meta({ id: "StatementEnd" });

const shownFilter = z
  .object({
    blockchain: z.string().nullable(),
    asset: z.string().nullable(),
    wallet_id: idText.nullable(),
    label: z.string().nullable(),
    reference_prefix: z
      .string()
      .nullable()
      .meta({ examples: ["customer-"] }),
  })
  .meta({ id: "StatementFilter" });

export const shownStatement = z
  .object({
    id: idText,
    business_id: idText,
    made_at: timeText,
    made_by: z.string().meta({
      description:
        "The author of the statement: the id of a key or session, or an operator's name. A business sees every operator as `operator`.",
    }),
    made_via: z.enum([...actorVias, "operator"]).meta({
      description:
        "The way in which it was made, in the words of the audit trail. A business sees `operator` if an operator made it.",
      examples: ["api"],
    }),
    from: timeText.meta({ description: "The beginning of the period. It is included." }),
    to: timeText.meta({ description: "The end of the period. It is not included." }),
    time_zone: z.string().meta({ examples: ["Europe/Zurich"] }),
    filter: shownFilter,
    final: z.boolean().meta({
      description:
        "True: the period was over on every chain. False: it was not, and the statement is kept for 400 days only.",
    }),
    holdings: count.meta({ description: "The number of holdings: each is an asset of a wallet." }),
    unknown_openings: count.meta({
      description: "The number of holdings whose first balance was not read yet.",
    }),
    entries: count,
    unpriced: count.meta({
      description: "The number of entries without a known value in dollars.",
    }),
    unconfirmed: count.meta({
      description:
        "The number of transactions in blocks of the period that the closing balance leaves out, since they are not confirmed.",
    }),
    digest: digestText.meta({
      description: "The SHA-256 of all its lines except the last one, in hex.",
    }),
    signature: z.object({
      key_id: z.string().meta({ examples: ["5b0c6d3f9a1e7742"] }),
      algorithm: z.literal("ed25519"),
      value: z.string().meta({ examples: [`${"q0Zr".repeat(21)}Bw==`] }),
    }),
    chains: z.array(
      z.object({ blockchain: z.string(), chain_id: z.int(), opening: bound, closing: bound }),
    ),
  })
  .meta({ id: "Statement" });

export const shownUnderWay = z
  .object({
    id: idText,
    begun_at: timeText,
    from: timeText.meta({ description: "The beginning of the period. It is included." }),
    to: timeText.meta({ description: "The end of the period. It is not included." }),
    time_zone: z.string().meta({ examples: ["Europe/Zurich"] }),
    filter: shownFilter,
    entries: count.meta({
      description:
        "The number of entries that were read so far. The number is at most a second old.",
    }),
    entries_expected: count,
  })
  .meta({ id: "StatementUnderWay" });

/** As its business sees it. */
export function presentUnderWay(one: StatementUnderWay): z.output<typeof shownUnderWay> {
  return {
    id: one.id,
    begun_at: one.begunAt.toISOString(),
    from: one.period.from.toISOString(),
    to: one.period.to.toISOString(),
    time_zone: one.period.zone,
    filter: one.filter,
    entries: one.entries,
    entries_expected: one.entriesExpected,
  };
}

/**
 * As its business sees it. On the command line, `made_by` names a user of the operator's machine.
 */
export function presentOwnStatement(made: MadeStatement): z.output<typeof shownStatement> {
  const shown = presentStatement(made);
  if (made.madeBy.via === "api" || made.madeBy.via === "console") return shown;
  return { ...shown, made_by: "operator", made_via: "operator" };
}

/** As operators see it. */
export function presentStatement(made: MadeStatement): z.output<typeof shownStatement> {
  return {
    id: made.id,
    business_id: made.businessId,
    made_at: made.madeAt.toISOString(),
    made_by: made.madeBy.name,
    made_via: made.madeBy.via,
    from: made.period.from.toISOString(),
    to: made.period.to.toISOString(),
    time_zone: made.period.zone,
    filter: made.filter,
    final: made.isFinal,
    holdings: made.holdings,
    unknown_openings: made.unknownOpenings,
    entries: made.entries,
    unpriced: made.unpriced,
    unconfirmed: made.unconfirmed,
    digest: made.digest,
    signature: statedSignature(made.signature),
    chains: [...made.chains],
  };
}
