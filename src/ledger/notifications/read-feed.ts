import type { FeedAsked, FeedEntry, FeedPage, FeedPlaces } from "../../domain/delivery/feed.ts";
import { matchesWritten, type WrittenNotice } from "../../domain/delivery/matches-written.ts";
import { type StreamPlace, streamStart } from "../../domain/delivery/stream.ts";
import { groupedBy } from "../../domain/grouped-by.ts";
import { notFound, requireFound } from "../../domain/not-found.ts";
import type { WebhookFilter } from "../../domain/webhook/filter.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { readRows as readStored, type Statements } from "../postgres/statements.ts";
import { inSnapshot } from "../postgres/transaction.ts";
import { unknownAsset } from "../transactions/read-transactions.ts";

/**
 * Reads the notifications of a business after a place in each of its streams. Reads only, and holds
 * nothing after the page.
 * @throws Fault `notification_not_found` if `after` names a notification that the business does not
 *   have, or that stands in no stream
 * @throws Fault `invalid_request` for an asset that the ledger has never had
 */
export async function readFeed(db: Database, given: FeedAsked): Promise<FeedPage> {
  const asked = { ...given, filter: await withStoredAssets(db, given.filter) };
  return inSnapshot(db, async (tx) => {
    const { chainNames, after } = await readAfter(tx, asked);
    const streams = await readStreams(tx, { businessId: asked.businessId, chainNames, after });
    const starts = streams
      .filter(({ isAsked }) => isAsked)
      .map((stream) => ({ name: stream.name, ...startOf(stream, after) }));
    // Each answer repeats what it keeps of the cursor, so that is no more than there are chains.
    const known = new Set(streams.map(({ name }) => name));
    const from = new Map([...(after ?? [])].filter(([name]) => known.has(name)));
    const isForeign = from.size < (after?.size ?? 0);
    for (const { name, place } of starts) setPlace(from, name, place);
    for (const kind of ["unknown", "expired"] as const)
      if (starts.some((start) => start.kind === kind)) return { kind, places: from };
    if (isForeign) return { kind: "unknown", places: from };
    const rows = await readRows(tx, asked, starts);
    const places = new Map(from);
    const entries: FeedEntry[] = [];
    for (const row of rows) {
      const { chainName: name, body } = row;
      const place = { sequence: Number(row.sequence), digest: row.digest };
      setPlace(places, name, place);
      if (matchesWritten(asked.filter, row)) entries.push({ chainName: name, place, body });
    }
    return { kind: "page", from, entries, places, isEnd: rows.length < asked.limit };
  });
}

/**
 * The filter with each asset as the ledger writes it: a code may come in any case. One statement,
 * since a reader that waits asks again and again.
 */
async function withStoredAssets(
  db: Database,
  filter: WebhookFilter | null,
): Promise<WebhookFilter | null> {
  if (filter?.assets === undefined) return filter;
  const wanted = filter.assets.map((code) => code.toUpperCase());
  const rows = await readStored<{ code: string }>(
    db,
    Prisma.sql`SELECT DISTINCT code FROM asset WHERE upper(code) = ANY (${wanted}::text[])`,
  );
  const stored = groupedBy(
    rows.map(({ code }) => code),
    (code) => code.toUpperCase(),
  );
  if (wanted.some((code) => !stored.has(code))) throw await unknownAsset(db);
  const least = Object.entries(filter.minAmount ?? {}).flatMap(([asked, amount]) =>
    (stored.get(asked.toUpperCase()) ?? []).map((code) => [code, amount] as const),
  );
  return {
    ...filter,
    assets: [...stored.values()].flat(),
    ...(filter.minAmount === undefined ? {} : { minAmount: Object.fromEntries(least) }),
  };
}

function setPlace(places: Map<string, StreamPlace>, name: string, place: StreamPlace): void {
  if (place.sequence > 0) places.set(name, place);
  else places.delete(name);
}

type After = { chainNames: readonly string[] | undefined; after: FeedPlaces | null };

/** The places that were asked for. For a notification it is the notification's own place. */
async function readAfter(
  tx: Statements,
  { businessId, chainNames, after }: FeedAsked,
): Promise<After> {
  if (after === null || !("notificationId" in after)) return { chainNames, after };
  const [row] = await tx.$queryRaw<(StreamPlace & { name: string })[]>`
    SELECT chain_name AS name, sequence::float8 AS sequence, encode(digest, 'hex') AS digest
    FROM notification WHERE id = ${after.notificationId}::uuid AND business_id = ${businessId}::uuid
      AND sequence IS NOT NULL`;
  const { name, ...place } = requireFound(row, "notification_not_found");
  if (chainNames?.includes(name) === false) throw notFound("notification_not_found");
  return { chainNames: [name], after: new Map([[name, place]]) };
}

type Stream = {
  name: string;
  isAsked: boolean;
  /** The highest place that retention has deleted; null: none. */
  prunedSequence: bigint | null;
  prunedDigest: string | null;
  /** The digest of the notification at the place that was asked for; null: there is none. */
  digest: string | null;
};

/** The streams of all chains. */
function readStreams(
  tx: Statements,
  { businessId, after, chainNames }: After & { businessId: string },
): Promise<Stream[]> {
  const given = [...(after ?? [])];
  const isAsked =
    chainNames === undefined
      ? Prisma.sql`true`
      : Prisma.sql`c.name = ANY (${[...chainNames]}::text[])`;
  return tx.$queryRaw<Stream[]>`
    SELECT c.name, ${isAsked} AS "isAsked", p.sequence AS "prunedSequence", encode(p.digest, 'hex') AS "prunedDigest", encode(n.digest, 'hex') AS digest
    FROM chain c LEFT JOIN pruned_stream p ON p.business_id = ${businessId}::uuid AND p.chain_name = c.name
      LEFT JOIN unnest(${given.map(([name]) => name)}::text[],
        ${arrayLiteral(given.map(([, { sequence }]) => sequence))}::bigint[]) AS g(name, sequence) ON g.name = c.name
      LEFT JOIN notification n ON n.business_id = ${businessId}::uuid AND n.chain_name = c.name AND n.sequence = g.sequence
    ORDER BY c.name`;
}

/** Where reading of a stream starts, and whether that is the place that was asked for. */
function startOf(
  { name, prunedSequence, prunedDigest, digest }: Stream,
  after: FeedPlaces | null,
): { kind: "known" | "unknown" | "expired"; place: StreamPlace } {
  const oldest =
    prunedSequence === null || prunedDigest === null
      ? streamStart
      : { sequence: Number(prunedSequence), digest: prunedDigest };
  if (after === null) return { kind: "known", place: oldest };
  const place = after.get(name) ?? streamStart;
  if (place.sequence < oldest.sequence) return { kind: "expired", place: oldest };
  const known = place.sequence === oldest.sequence ? oldest.digest : digest;
  return known === place.digest ? { kind: "known", place } : { kind: "unknown", place: oldest };
}

type Row = WrittenNotice & { chainName: string; sequence: bigint; digest: string };

/**
 * Reads all streams together, oldest first. A notification counts as no older than the one before
 * it in its stream. So a clock that was set back does not change a stream's order.
 */
function readRows(
  tx: Statements,
  { businessId, limit, filter }: FeedAsked,
  starts: readonly { name: string; place: StreamPlace }[],
): Promise<Row[]> {
  const usdValue =
    filter?.minUsd === undefined
      ? Prisma.sql`NULL::text`
      : Prisma.sql`(SELECT t.usd_value::text FROM transaction t WHERE t.id = n.transaction_id)`;
  return tx.$queryRaw<Row[]>`
    SELECT n.chain_name AS "chainName", n.sequence, encode(n.digest, 'hex') AS digest, n.event, n.body,
      ${usdValue} AS "usdValue"
    FROM unnest(${starts.map(({ name }) => name)}::text[],
        ${arrayLiteral(starts.map(({ place }) => place.sequence))}::bigint[]) AS s(name, after)
      CROSS JOIN LATERAL (
        SELECT chain_name, sequence, digest, event, body, transaction_id, max(created_at) OVER (ORDER BY sequence) AS written
        FROM (
          SELECT * FROM notification WHERE business_id = ${businessId}::uuid AND chain_name = s.name
            AND sequence IS NOT NULL AND sequence > s.after ORDER BY sequence LIMIT ${limit}
        ) o
      ) n
    ORDER BY n.written, n.chain_name, n.sequence LIMIT ${limit}`;
}
