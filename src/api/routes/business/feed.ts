import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import {
  decodeFeedCursor,
  encodeFeedCursor,
  type FeedAsked,
  type FeedPage,
  feedCursorRule,
} from "../../../domain/delivery/feed.ts";
import { Fault } from "../../../domain/fault.ts";
import { isId } from "../../../domain/id.ts";
import { invalidField, isPlainText } from "../../../domain/text.ts";
import { mostFilterEntries, type WebhookFilter } from "../../../domain/webhook/filter.ts";
import type { Logger } from "../../../runtime/logger.ts";
import type { Follower, Wakes } from "../../../runtime/wakes.ts";
import {
  decimalField,
  given,
  idField,
  pageFields,
  textField,
  valuesField,
} from "../../../schema/fields.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Held, HeldRequests } from "../../auth/held-requests.ts";
import { acceptedType } from "../../http/accepted-type.ts";
import { beginEventStream, signOfLife } from "../../http/event-stream.ts";
import type { Web } from "../../http/web.ts";

export type FeedDeps = Pick<BusinessLedger, "readFeed"> & {
  /** Wakes a waiting request when any process writes a notification for its business. */
  followNotified: Wakes["follow"];
  held: HeldRequests;
  /** The longest silence of a stream, in ms. Left out: `signOfLifeMs`. */
  feedSilenceMs?: number;
  log: Logger;
};

/** The longest wait of a request, in s. Many proxies end a request that is silent for a minute. */
const longestWaitS = 30;
const waitRule = `expected a number of seconds from 0 to ${longestWaitS}`;

/**
 * The usual pause between signs of life on a stream without events, in ms. It also looks for news
 * then, so a lost wake-up delays news no longer than this.
 */
const signOfLifeMs = 15_000;

const cursorField = z
  .string()
  .refine((text) => decodeFeedCursor(text) !== null, feedCursorRule)
  .optional();

const isText = (text: string): text is string => isPlainText(text);

const isWalletId = (text: string): text is string => isId(text);

/** A parameter that takes as many values as a list in a webhook's filter does. */
function listed(
  isValue: (text: string) => text is string,
  { rule, ...meta }: { rule: string; description: string; examples?: string[] },
) {
  const most = mostFilterEntries;
  const shape = `${rule}, at most ${most}, with commas between them`;
  const description = `${meta.description} Several have commas between them.`;
  return valuesField(isValue, { rule: shape, most })
    .optional()
    .meta({ type: "string", ...meta, description });
}

function texts(description: string, example: string) {
  return listed(isText, { rule: "expected texts", description, examples: [example] });
}

const query = z.strictObject({
  after: cursorField.meta({
    description:
      "The place after which the answer begins: the `chainbell-cursor` of the answer before.",
  }),
  after_id: idField.optional().meta({
    description:
      "The id of a notification, instead of `after`. The answer begins after it, and has only its chain.",
  }),
  limit: pageFields.limit,
  wait: z
    .string()
    .regex(/^\d{1,2}$/, waitRule)
    .transform(Number)
    .refine((seconds) => seconds <= longestWaitS, waitRule)
    .default(0)
    .meta({ type: "integer", minimum: 0, maximum: longestWaitS, default: 0 }),
  blockchain: texts("Only notifications on one of these chains, by name.", "ethereum,base"),
  event: texts(
    "Only notifications of one of these events.",
    "transaction.deposit,transaction.reversed",
  ),
  wallet_id: listed(isWalletId, {
    rule: "expected UUIDs",
    description: "Only notifications about one of these wallets, by id.",
  }),
  asset: texts("Only notifications that move one of these assets, by code.", "ETH,USDC"),
  reference_prefix: textField
    .optional()
    .meta({ description: "Only notifications of wallets whose reference begins with this text." }),
  min_amount: decimalField.optional().meta({
    description:
      "The least amount of `asset` that moves, in its units. `asset` must then name one asset.",
  }),
  min_usd: decimalField.optional().meta({
    description:
      "The least worth in US dollars, at confirmation. An event without an amount or a price passes.",
  }),
});

type Query = z.infer<typeof query>;

const lines = z.string().meta({
  examples: [
    '{"id":"…","event":"transaction.deposit","timestamp":"…","sequence":1042,"data":{…}}\n',
  ],
});

/** GET /notifications/feed: docs/contract.md#the-feed. */
export function feedRoutes(web: Web, deps: FeedDeps): void {
  const schema = {
    tags: ["Notifications"],
    summary: "The notifications in the order of the ledger, from a cursor on",
    description:
      "One body a line, oldest first, byte for byte as it is signed and sent. Send the header `chainbell-cursor` of the answer as `after` of the next request, also after an empty answer. `wait` holds an empty answer back until something comes, for up to that many seconds. With `Accept: text/event-stream` the answer does not end. Each event has a body as `data` and its cursor as `id`. The header `Last-Event-ID` takes that cursor. With `cursor_unknown` and `cursor_expired`, the header `chainbell-cursor` has the cursor to go on from.",
    querystring: query,
    produces: ["application/x-ndjson"],
    response: { 200: lines },
    refuses: ["cursor_unknown", "cursor_expired", "notification_not_found"] as const,
  };
  web.get("/notifications/feed", { schema }, async (request, reply) => {
    const asked = askedIn(request, request.query);
    const isStream = request.method === "GET" && takesEvents(request.headers.accept);
    if (isStream) return stream(request, reply, { asked, deps });
    const { wait } = request.query;
    const page =
      wait === 0
        ? await deps.readFeed(asked)
        : await readWaiting(request, reply, { asked, deps, waitMs: wait * 1_000 });
    const { entries } = requireKnown(page, reply);
    reply.header("chainbell-cursor", encodeFeedCursor(page.places));
    reply.type("application/x-ndjson; charset=utf-8");
    return reply.send(entries.map(({ body }) => `${body}\n`).join(""));
  });
}

function takesEvents(accept: string | undefined): boolean {
  const type = acceptedType(accept, ["application/x-ndjson", "text/event-stream"]);
  return type === "text/event-stream";
}

function askedIn(request: FastifyRequest, asked: Query): FeedAsked {
  const { after, after_id, limit, blockchain, wait } = asked;
  const isHeld = wait > 0 || takesEvents(request.headers.accept);
  if (request.session !== null && isHeld)
    throw new Fault("invalid_request", "A session of the console does not wait: use an API key.");
  if (wait > 0 && takesEvents(request.headers.accept))
    throw new Fault("invalid_request", "A stream of events goes on by itself: leave out wait.");
  if (after !== undefined && after_id !== undefined)
    throw new Fault("invalid_request", "Send after or after_id, not both.");
  return {
    businessId: businessOf(request),
    after:
      lastEventIn(request) ??
      (after === undefined ? null : decodeFeedCursor(after)) ??
      (after_id === undefined ? null : { notificationId: after_id }),
    limit,
    filter: filterIn(asked),
    ...given({ chainNames: blockchain }),
  };
}

/** Null: no filter, all notifications are wanted. */
function filterIn(asked: Query): WebhookFilter | null {
  const { event, wallet_id, asset, reference_prefix, min_amount, min_usd } = asked;
  const [ofAsset, ...others] = asset ?? [];
  if (min_amount !== undefined && (ofAsset === undefined || others.length > 0))
    throw new Fault("invalid_request", "Send one asset beside min_amount.");
  const filter = given({
    events: event,
    walletIds: wallet_id?.map((id) => id.toLowerCase()),
    assets: asset,
    references: reference_prefix === undefined ? undefined : [reference_prefix],
    minAmount: min_amount === undefined ? undefined : { [ofAsset ?? ""]: min_amount },
    minUsd: min_usd,
  });
  return Object.keys(filter).length === 0 ? null : filter;
}

/** The cursor of a client that connects again: it repeats the URL, and adds this header. */
function lastEventIn({ headers }: FastifyRequest): FeedAsked["after"] {
  const text = headers["last-event-id"];
  if (typeof text !== "string" || text === "") return null;
  const places = decodeFeedCursor(text);
  if (places !== null) return places;
  throw invalidField("last-event-id", feedCursorRule);
}

type KnownPage = Extract<FeedPage, { kind: "page" }>;

/**
 * @throws Fault `cursor_unknown`, `cursor_expired`, with the cursor to continue from in a header
 */
function requireKnown(page: FeedPage, reply: FastifyReply): KnownPage {
  if (page.kind === "page") return page;
  reply.header("chainbell-cursor", encodeFeedCursor(page.places));
  if (page.kind === "unknown") throw new Fault("cursor_unknown", unknownMessage);
  throw new Fault("cursor_expired", expiredMessage);
}

type Reading = { asked: FeedAsked; deps: FeedDeps };

/**
 * The first page with a notification. If the time is over, the last page, which is empty. Counts as
 * an open stream only while it waits. It uses no database connection while it waits.
 */
async function readWaiting(
  request: FastifyRequest,
  reply: FastifyReply,
  { asked, deps, waitMs }: Reading & { waitMs: number },
): Promise<FeedPage> {
  const untilMs = performance.now() + waitMs;
  // Follows before it reads, so that nothing written in between is missed.
  const follower = deps.followNotified(asked.businessId);
  let held: Held | null = null;
  try {
    for (let { after } = asked; ; ) {
      const page = await deps.readFeed({ ...asked, after });
      const leftMs = untilMs - performance.now();
      const isOver = page.kind !== "page" || page.entries.length > 0 || !page.isEnd;
      if (isOver || leftMs <= 0) return page;
      held ??= deps.held.hold(request, reply);
      const isNews = await follower.next(leftMs, held.signal);
      const ended = held.ended();
      if (ended?.kind === "over") throw ended.fault;
      if (!isNews || ended !== null) return page;
      after = page.places;
    }
  } finally {
    held?.release();
    follower.end();
  }
}

/**
 * Streams events until the caller disconnects, the server stops, or the credential is no longer
 * valid.
 */
async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  { asked, deps }: Reading,
): Promise<void> {
  const follower = deps.followNotified(asked.businessId);
  let held: Held | null = null;
  try {
    const first = requireKnown(await deps.readFeed(asked), reply);
    held = deps.held.hold(request, reply);
    const events = beginEventStream(reply);
    await send(first, { events, held, follower, asked, deps });
    events.end();
  } finally {
    held?.release();
    follower.end();
  }
}

type Sending = Reading & {
  events: ReturnType<typeof beginEventStream>;
  held: Held;
  follower: Follower;
};

/** Ends the stream if a page cannot be read. The caller gets the reason when it connects again. */
async function send(first: KnownPage, sending: Sending): Promise<void> {
  const { events, held, asked, deps } = sending;
  let page: FeedPage = first;
  let known = "";
  try {
    while (page.kind === "page") {
      const { text, cursor } = eventsOf(page, known);
      known = cursor;
      if (text !== "" && !(await events.sendRead(text, held.signal))) return;
      if (page.isEnd) await nextNews(sending);
      if (held.ended() !== null) return;
      page = await deps.readFeed({ ...asked, after: page.places });
    }
  } catch (error) {
    deps.log.warn({ error, businessId: asked.businessId }, "feed.ended");
  }
}

async function nextNews({ follower, held, events, deps }: Sending): Promise<void> {
  const isNews = await follower.next(deps.feedSilenceMs ?? signOfLifeMs, held.signal);
  if (!isNews && held.ended() === null) events.send(signOfLife);
}

/**
 * A page as events. The id of each event is the cursor after it. An id without data is no event,
 * but it tells the position if the last notifications were filtered out.
 */
function eventsOf({ from, entries, places }: KnownPage, known: string) {
  const reached = new Map(from);
  let last = known;
  const events = entries.map(({ chainName, place, body }) => {
    reached.set(chainName, place);
    last = encodeFeedCursor(reached);
    return `id: ${last}\ndata: ${body}\n\n`;
  });
  const cursor = encodeFeedCursor(places);
  return { text: `${events.join("")}${cursor === last ? "" : `id: ${cursor}\n\n`}`, cursor };
}

const unknownMessage =
  "The database does not know this cursor. Go on from the cursor in the header chainbell-cursor. Skip the ids that you have.";
const expiredMessage =
  "Notifications after this cursor were removed. Go on from the cursor in the header chainbell-cursor.";
