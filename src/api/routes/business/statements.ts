import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import type { Sign } from "../../../domain/evidence/signing-key.ts";
import {
  statementFormats,
  statementLines,
  statementTexts,
} from "../../../domain/evidence/statement-lines.ts";
import { statementPeriod } from "../../../domain/evidence/statement-period.ts";
import { idAt } from "../../../domain/id.ts";
import { given, idField, textField } from "../../../schema/fields.ts";
import { sendTexts } from "../../answers/send-texts.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type StatementsDeps = Pick<BusinessLedger, "openStatement"> & {
  /** Signs with the installation's key. */
  sign: Sign;
  clock: { now: () => number };
};

/** The fields that name a period: see statementPeriod. */
export const periodFields = {
  month: textField.optional().meta({
    description: "Instead of `from` and `to`.",
    examples: ["2026-10"],
  }),
  from: textField.optional().meta({
    description: "A date, or a moment at a quarter of an hour. Included.",
  }),
  to: textField.optional().meta({ description: "As `from`. Not included." }),
  time_zone: textField.optional().meta({
    description: "Of months and dates, such as Europe/Zurich; UTC where it is left out.",
  }),
};

/** The fields that name wallets and assets. */
export const statementFilterFields = {
  blockchain: textField.optional(),
  asset: textField.optional(),
  wallet_id: idField.optional(),
  label: textField.optional(),
  reference_prefix: textField.optional(),
};

const query = z.strictObject({
  ...periodFields,
  ...statementFilterFields,
  format: z
    .enum(statementFormats, `expected one of ${statementFormats.join(", ")}`)
    .default("jsonl"),
});

const types = { jsonl: "application/x-ndjson", csv: "text/csv" } as const;

const lines = z.string().meta({ examples: ['{"id":"…","line":"statement","statement":1,…}\n'] });

/** GET /statements: docs/evidence.md#statements. */
export function statementsRoutes(web: Web, { openStatement, sign, clock }: StatementsDeps): void {
  const schema = {
    tags: ["Statements"],
    summary: "A signed statement of a period",
    description:
      "The opening, every entry of the journal and the closing of each wallet and asset, with the blocks and seals that they rest on. It is sent while it is added up. The last line, `end`, has the digest and the signature: without it the statement is not whole.",
    querystring: query,
    produces: Object.values(types),
    response: { 200: lines },
    refuses: ["wallet_not_found", "chain_not_found"] as const,
  };
  web.get("/statements", { schema }, async (request, reply) => {
    const { month, from, to, time_zone, format, ...of } = request.query;
    const asked = {
      businessId: businessOf(request),
      period: statementPeriod({ month, from, to, zone: time_zone }),
      filter: given({
        chainName: of.blockchain,
        assetCode: of.asset,
        walletId: of.wallet_id,
        label: of.label,
        referencePrefix: of.reference_prefix,
      }),
    };
    const now = clock.now();
    const source = { id: idAt(now), madeAt: new Date(now), asked, sign };
    const statement = await openStatement(asked);
    reply.type(`${types[format]}; charset=utf-8`);
    return sendTexts(reply, statementTexts(statementLines({ ...source, statement }), format));
  });
}
