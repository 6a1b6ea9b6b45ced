import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { AuditedFor } from "../../../domain/business/audit.ts";
import type { BusinessChanges, BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { decodeLineCursor, type ReceivedCredits } from "../../../domain/credits/credit-check.ts";
import { type CreditFormat, creditFormats } from "../../../domain/credits/read-credits.ts";
import { verdictNames } from "../../../domain/credits/verdicts.ts";
import { Fault } from "../../../domain/fault.ts";
import { keysOf } from "../../../domain/keys-of.ts";
import { requireId } from "../../../domain/not-found.ts";
import { cursorRule } from "../../../domain/page.ts";
import { dataAnswer, dataBody, listAnswer, listBody } from "../../../schema/answers.ts";
import { presentCheck, presentLine, shownCheck, shownLine } from "../../../schema/credit-check.ts";
import { dateField, flagField, pageFields, pageOf } from "../../../schema/fields.ts";
import { actorOf, businessOf } from "../../auth/authenticate.ts";
import { addScope } from "../../http/scope.ts";
import type { Web } from "../../http/web.ts";

export type CreditChecksDeps = Pick<
  BusinessLedger,
  | "receiveCredits"
  | "abandonCredits"
  | "settleCredits"
  | "readCreditChecks"
  | "readCreditCheck"
  | "readCreditLines"
  | "readCreditChanges"
> & { audited: AuditedFor<Pick<BusinessChanges, "finishCredits">> };

const tags = ["Own credits"];

const formats = keysOf(creditFormats);
const mediaTypes = formats.map((format) => creditFormats[format].mediaType);

/** A body whose credits are all in a run. A repeated request is recognised by its digest. */
class ReceivedBody {
  readonly received: ReceivedCredits;
  isFinished = false;

  constructor(received: ReceivedCredits) {
    this.received = received;
  }

  toJSON(): string {
    return this.received.digest;
  }
}

/** The routes under /reconciliations: docs/contract.md#own-credits. */
export function creditChecksRoutes(web: Web, deps: CreditChecksDeps): void {
  listRoutes(web, deps);
  addScope(web, "", (scope) => {
    // Leaves the body unread until its credits are read.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    sendRoute(scope, deps);
  });
}

const period = z.strictObject({
  from: dateField.optional().meta({
    description:
      "The beginning of the period of the money that was to be credited, by the times of the blocks. It is included. Left out: the time of the oldest credit.",
  }),
  to: dateField.optional().meta({
    description:
      "The end of that period. It is not included. Left out: the time of the newest credit.",
  }),
});

function sendRoute(web: Web, deps: CreditChecksDeps): void {
  const schema = {
    tags,
    summary: "Compare credits with the ledger",
    description:
      "One credit a line: CSV whose first line names the columns, or JSON Lines. Fields: `transaction_id`, or `tx_hash` with `wallet_id` or `address`; `asset`, `amount`, `reference`, `credited_at`. The body is read as it comes. The answer counts the verdicts; `GET /reconciliations/{reconciliation_id}` has the lines. The ledger is not changed.",
    querystring: period,
    consumes: mediaTypes,
    body: z.unknown().meta({
      type: "string",
      examples: [
        "transaction_id,asset,amount,reference,credited_at\n01a20098-8fc0-8000-8000-02911919b011,ETH,1,credit-1,2026-01-31T12:00:00Z\n",
      ],
    }),
    refuses: ["reconciliation_running"] as const,
    response: { 201: dataAnswer(shownCheck) },
  };
  const receive = async (request: FastifyRequest) => {
    const businessId = businessOf(request);
    const bytes = bodyOf(request);
    const received = await deps.receiveCredits({ businessId, format: formatOf(request), bytes });
    request.body = new ReceivedBody(received);
  };
  /**
   * Deletes the run if the request is refused, or answered from its Idempotency-Key. Done before
   * the answer, so that the next request is not told that a run is under way.
   */
  const forget = async ({ body }: FastifyRequest) => {
    if (body instanceof ReceivedBody && !body.isFinished)
      await deps.abandonCredits(body.received.checkId);
  };
  const hooks = { preValidation: receive, onSend: forget };
  web.post("/reconciliations", { schema, ...hooks }, async (request, reply) => {
    const { body, query } = request;
    if (!(body instanceof ReceivedBody))
      throw new Fault("invariant_broken", "Nothing was received.");
    const { from = null, to = null } = query;
    const settled = await deps.settleCredits(body.received, { from, to });
    const check = await deps.audited(actorOf(request))("credit.check", async (ledger) => {
      const output = await ledger.finishCredits(settled);
      const { id, digest, credits } = settled;
      return { output, entry: { subject: id, details: { digest, credits } } };
    });
    body.isFinished = true;
    return reply.code(201).send(dataBody(presentCheck(check)));
  });
}

function formatOf({ headers }: FastifyRequest): CreditFormat {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const asked = type.trim().toLowerCase();
  const format = formats.find((one) => creditFormats[one].mediaType === asked);
  if (format !== undefined) return format;
  const message = `Send the credits with Content-Type: ${mediaTypes.join(" or ")}.`;
  throw new Fault("invalid_request", message);
}

/** A body that ends too early is the sender's fault. */
async function* bodyOf({ body }: FastifyRequest): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Readable)) return;
  try {
    for await (const chunk of body) yield chunk;
  } catch (cause) {
    throw new Fault("invalid_request", "The body did not arrive whole: send it again.", { cause });
  }
}

const linesQuery = z.strictObject({
  verdict: z.enum(verdictNames, `expected one of ${verdictNames.join(", ")}`).optional(),
  changes: flagField(
    "True: only lines that differ from the run before, or that it did not have. Within the period, also lines that only that run had.",
  ),
  limit: pageFields.limit,
  cursor: z
    .string()
    .refine((text) => decodeLineCursor(text) !== null, cursorRule)
    .optional()
    .meta({
      description:
        "The place at which the page begins: the `next_cursor` of the page before. Left out: the first page.",
    }),
});

function listRoutes(web: Web, deps: CreditChecksDeps): void {
  const list = {
    tags,
    summary: "List the reconciliations of credits",
    description: "Newest first.",
    querystring: z.strictObject(pageFields),
    response: { 200: listAnswer(shownCheck) },
  };
  web.get("/reconciliations", { schema: list }, async (request) => {
    const page = await deps.readCreditChecks(businessOf(request), pageOf(request.query));
    return listBody(page, presentCheck);
  });

  const lines = {
    tags,
    summary: "One reconciliation of credits, with its lines",
    description: "In the order of the file. Money that no line names follows after the last one.",
    params: z.strictObject({ reconciliation_id: z.string() }),
    querystring: linesQuery,
    response: { 200: listAnswer(shownLine).extend({ reconciliation: shownCheck }) },
  };
  web.get("/reconciliations/:reconciliation_id", { schema: lines }, async (request) => {
    const { verdict = null, changes, limit, cursor } = request.query;
    const { reconciliation_id: id } = request.params;
    const checkId = requireId(id, "reconciliation_not_found");
    const after = cursor === undefined ? 0 : (decodeLineCursor(cursor) ?? 0);
    const asked = { businessId: businessOf(request), checkId, verdict, after, limit };
    const reconciliation = presentCheck(await deps.readCreditCheck(asked));
    const page = await (changes ? deps.readCreditChanges(asked) : deps.readCreditLines(asked));
    return { ...listBody(page, presentLine), reconciliation };
  });
}
