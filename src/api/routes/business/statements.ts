import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { mostOfBusiness } from "../../../domain/business/rate-limit.ts";
import type { MadeStatement, StatementLedger } from "../../../domain/evidence/made-statement.ts";
import type { Sign } from "../../../domain/evidence/signing-key.ts";
import {
  type StatementFormat,
  statementFormats,
  statementIn,
} from "../../../domain/evidence/statement-formats.ts";
import { statementPeriod } from "../../../domain/evidence/statement-period.ts";
import { keysOf } from "../../../domain/keys-of.ts";
import { requireId } from "../../../domain/not-found.ts";
import { listAnswer, listBody } from "../../../schema/answers.ts";
import {
  flagField,
  given,
  idField,
  pageFields,
  pageOf,
  textField,
} from "../../../schema/fields.ts";
import {
  presentOwnStatement,
  presentUnderWay,
  shownStatement,
  shownUnderWay,
} from "../../../schema/statement.ts";
import { actorOf, businessOf } from "../../auth/authenticate.ts";
import { createInProgressLimit } from "../../auth/limit-in-progress.ts";
import { acceptedType } from "../../http/accepted-type.ts";
import type { Web } from "../../http/web.ts";
import { type SendDeps, sendHeld } from "./send-held.ts";

export type StatementsDeps = StatementLedger &
  SendDeps & {
    /** Signs with the installation's key. */
    sign: Sign;
    clock: { now: () => number };
  };

/** The fields that name a period: see statementPeriod. */
export const periodFields = {
  month: textField.optional().meta({
    description: "A month such as 2026-10. Give it instead of `from` and `to`.",
    examples: ["2026-10"],
  }),
  from: textField.optional().meta({
    description:
      "The beginning of the period: a date, or a moment at a quarter of an hour. It is included.",
  }),
  to: textField
    .optional()
    .meta({ description: "The end of the period, in the form of `from`. It is not included." }),
  time_zone: textField.optional().meta({
    description: "The time zone of months and dates, such as Europe/Zurich. Left out: UTC.",
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

const formats = keysOf(statementFormats);

const formatField = z
  .enum(formats, `expected one of ${formats.join(", ")}`)
  .optional()
  .meta({
    description:
      "The form of the statement. Left out: the form that `Accept` prefers, or `jsonl` if it names none of them.",
  });

const query = z.strictObject({
  ...periodFields,
  ...statementFilterFields,
  anew: flagField(
    "True: make a new statement even if one of this period exists. False, the default: answer with the existing one.",
  ),
  format: formatField,
});

const lines = z.string().meta({ examples: ['{"id":"…","line":"statement","statement":1,…}\n'] });

const tags = ["Statements"];

/** The routes under /statements: docs/contract.md#statements. */
export function statementsRoutes(web: Web, deps: StatementsDeps): void {
  makeRoute(web, deps);
  givenRoutes(web, deps);
}

function makeRoute(web: Web, deps: StatementsDeps) {
  const { makeStatement, sign, clock } = deps;
  const schema = {
    tags,
    summary: "A signed statement of a period",
    description:
      "The opening, every entry of the journal and the closing of each wallet and asset. The statement names the blocks and seals that it rests on. It is made whole, stored, and then sent. A period that is over gives the same statement each time. The last line, `end`, has the digest and the signature: without it the statement is not whole. `GET /statements/making` says how far it is, and the header `chainbell-entries` how many entries come.",
    querystring: query,
    produces: Object.values(statementFormats),
    response: { 200: lines },
    refuses: ["wallet_not_found", "chain_not_found", "limit_reached"] as const,
  };
  const inTurn = createInProgressLimit(mostOfBusiness.statements);
  web.get("/statements", { schema }, async (request, reply) => {
    const { month, from, to, time_zone, format, anew, ...of } = request.query;
    const asked = {
      businessId: businessOf(request),
      period: statementPeriod({ month, from, to, zone: time_zone }),
      filter: given({
        chainName: of.blockchain,
        assetCode: of.asset,
        walletId: of.wallet_id?.toLowerCase(),
        label: of.label,
        referencePrefix: of.reference_prefix,
      }),
    };
    const { keyId, sessionId } = actorOf(request);
    const by = {
      name: sessionId ?? keyId,
      via: sessionId === null ? ("api" as const) : ("console" as const),
    };
    const made = await inTurn(asked.businessId, () =>
      makeStatement({ asked, by, isAnew: anew, sign, nowMs: clock.now() }),
    );
    return give({ request, reply, format }, made, deps);
  });
}

function givenRoutes(web: Web, deps: StatementsDeps): void {
  const list = {
    tags,
    summary: "List the statements that were given out",
    description: "Newest first, with their digests.",
    querystring: z.strictObject(pageFields),
    response: { 200: listAnswer(shownStatement) },
  };
  web.get("/statements/all", { schema: list }, async (request) => {
    const page = await deps.readStatements(businessOf(request), pageOf(request.query));
    return listBody(page, presentOwnStatement);
  });

  const underWay = {
    tags,
    summary: "List the statements that are being made",
    description:
      "Newest first, each with the entries that it has so far. The list keeps a statement of an ended process for five minutes.",
    querystring: z.strictObject(pageFields),
    response: { 200: listAnswer(shownUnderWay) },
  };
  web.get("/statements/making", { schema: underWay }, async (request) => {
    const page = await deps.readStatementsUnderWay(businessOf(request), pageOf(request.query));
    return listBody(page, presentUnderWay);
  });

  const one = {
    tags,
    summary: "A statement that was given out, once more",
    description: "As it was signed, or in another form.",
    params: z.strictObject({ statement_id: z.string() }),
    querystring: z.strictObject({ format: formatField }),
    produces: Object.values(statementFormats),
    response: { 200: lines },
  };
  web.get("/statements/:statement_id", { schema: one }, async (request, reply) => {
    const id = requireId(request.params.statement_id, "statement_not_found");
    const made = await deps.findStatement({ id, businessId: businessOf(request) });
    const { format } = request.query;
    return give({ request, reply, format }, made, deps);
  });
}

type Asked = { request: FastifyRequest; reply: FastifyReply; format: StatementFormat | undefined };

/** The page of a statement has an inline style. A browser may load or run nothing else. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/**
 * Sends a stored statement. Needs no lock and no connection while the client reads.
 * @throws Fault as sendHeld
 */
function give(
  { request, reply, format }: Asked,
  made: MadeStatement,
  deps: StatementsDeps,
): Promise<FastifyReply> {
  const chosen = format ?? acceptedFormat(request);
  const type = statementFormats[chosen];
  reply.type(chosen === "parquet" ? type : `${type}; charset=utf-8`);
  reply.header("chainbell-entries", String(made.entries));
  if (format === undefined) reply.header("vary", "accept");
  if (chosen === "html") reply.header("content-security-policy", pagePolicy);
  const texts = () => statementIn(chosen, made, deps.readStatementTexts(made));
  return sendHeld({ request, reply }, texts, { ...deps, longestUnreadMs: null });
}

function acceptedFormat({ headers }: FastifyRequest): StatementFormat {
  const { jsonl, ...others } = statementFormats;
  const type = acceptedType(headers.accept, [jsonl, ...Object.values(others)]);
  return formats.find((format) => statementFormats[format] === type) ?? "jsonl";
}
