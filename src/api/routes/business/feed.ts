import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import {
  decodeFeedCursor,
  encodeFeedCursor,
  feedCursorRule,
} from "../../../domain/delivery/feed.ts";
import { Fault } from "../../../domain/fault.ts";
import { given, idField, pageFields, textField } from "../../../schema/fields.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type FeedDeps = Pick<BusinessLedger, "readFeed">;

const query = z.strictObject({
  after: z
    .string()
    .refine((text) => decodeFeedCursor(text) !== null, feedCursorRule)
    .optional()
    .meta({ description: "The `chainbell-cursor` of the answer before." }),
  limit: pageFields.limit,
  blockchain: textField.optional(),
  event: textField.optional(),
  wallet_id: idField.optional(),
});

const lines = z.string().meta({
  examples: [
    '{"id":"…","event":"transaction.deposit","timestamp":"…","sequence":1042,"data":{…}}\n',
  ],
});

/** GET /notifications/feed: docs/contract.md#the-feed. */
export function feedRoutes(web: Web, { readFeed }: FeedDeps): void {
  const schema = {
    tags: ["Notifications"],
    summary: "The notifications in the order of the ledger, from a cursor on",
    description:
      "One body a line, oldest first, byte for byte as it is signed and sent. The header `chainbell-cursor` of the answer is `after` of the next request; it is the one that was sent where nothing has come. `cursor_unknown` and `cursor_expired` have in that header the cursor to go on from.",
    querystring: query,
    produces: ["application/x-ndjson"],
    response: { 200: lines },
    refuses: ["cursor_unknown", "cursor_expired"] as const,
  };
  web.get("/notifications/feed", { schema }, async (request, reply) => {
    const { after, limit, blockchain, event, wallet_id } = request.query;
    const page = await readFeed({
      businessId: businessOf(request),
      after: after === undefined ? null : decodeFeedCursor(after),
      limit,
      ...given({ chainName: blockchain, event, walletId: wallet_id }),
    });
    reply.header("chainbell-cursor", encodeFeedCursor(page.places));
    switch (page.kind) {
      case "page":
        reply.type("application/x-ndjson; charset=utf-8");
        return reply.send(page.bodies.map((body) => `${body}\n`).join(""));
      case "unknown":
        throw new Fault("cursor_unknown", unknownMessage);
      case "expired":
        throw new Fault("cursor_expired", expiredMessage);
    }
  });
}

const unknownMessage =
  "The database does not know this cursor: go on from the one in the header chainbell-cursor, and leave out the ids that you have.";
const expiredMessage =
  "Notifications after this cursor were removed: go on from the one in the header chainbell-cursor.";
