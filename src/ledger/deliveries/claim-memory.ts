import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";

/**
 * The memory of a relay from one claim to the next, so that no claim reads rows that were dead at
 * the one before. Nothing in it is needed: with an empty one everything is looked at. It is emptied
 * whenever a claim fails, and every `rememberedMs`.
 */
export type ClaimMemory = {
  /** When it was empty, in ms by the database's clock; null: it is empty. */
  sinceMs: number | null;
  /** The number of the last claim, and the tokens of older claims that were alive at it. */
  order: bigint;
  tokens: readonly string[];
  /** Every row of due_delivery with a lower position has been seen, or is gone; null: none was. */
  position: bigint | null;
  /** This position is reached as soon as none of those who wrote to the table writes any more. */
  awaited: { position: bigint; writers: ReadonlySet<string> } | null;
  /** Of each webhook with waiting deliveries the lowest places that are alive. */
  webhooks: Map<string, KnownPlaces>;
};

/**
 * The life of that memory, in ms. A server that crashed may have lost a claim
 * that was not on its disk yet, and its delivery waits at a place that nobody looks at any more.
 */
const rememberedMs = 15_000;

/** The lowest place of first attempts and of retries; null: there is none. */
export type KnownPlaces = { businessId: string; firsts: bigint | null; retries: bigint | null };

/** The state of the table before somebody looked at it. */
export type Progress = {
  order: bigint;
  /** The time, by the database's clock. */
  nowMs: number;
  /** The highest position that was given to anybody. */
  position: bigint;
  /** The transactions that have written to the table and have not ended. */
  writers: string[];
};

export function emptyMemory(): ClaimMemory {
  return {
    sinceMs: null,
    order: 0n,
    tokens: [],
    position: null,
    awaited: null,
    webhooks: new Map(),
  };
}

/**
 * Nothing of it may be believed: it is too old, or the database is one of an earlier time,
 * restored, or a standby that had not everything yet.
 */
export function isStale(memory: ClaimMemory, { order, nowMs }: Progress): boolean {
  const { sinceMs } = memory;
  if (sinceMs === null) return false;
  return order <= memory.order || nowMs < sinceMs || nowMs >= sinceMs + rememberedMs;
}

/** Forgets everything: after an error, and where it is stale. */
export function forget(memory: ClaimMemory): void {
  Object.assign(memory, emptyMemory());
}

/**
 * Notes that everything visible was looked at, by a statement that began after `progress` was read.
 * A position is given to a transaction before its row can be seen, and another transaction may be
 * faster. So a position counts only once all who wrote when it was read have ended.
 */
export function noteLooked(memory: ClaimMemory, { position, writers }: Progress): void {
  if (writers.length === 0) {
    memory.position = position + 1n;
    memory.awaited = null;
    return;
  }
  if (memory.awaited !== null && writers.some((one) => memory.awaited?.writers.has(one))) return;
  if (memory.awaited !== null) memory.position = memory.awaited.position + 1n;
  memory.awaited = { position, writers: new Set(writers) };
}

/**
 * Takes over the lowest places of a webhook, as a statement found them. Where it was not asked
 * about, the places that were known stay.
 */
export function notePlaces(
  memory: ClaimMemory,
  webhookId: string,
  { businessId, firsts, retries }: KnownPlaces,
  asked: boolean,
): void {
  const known = asked ? undefined : memory.webhooks.get(webhookId);
  const places = {
    businessId,
    firsts: lower(known?.firsts ?? null, firsts),
    retries: lower(known?.retries ?? null, retries),
  };
  if (places.firsts === null && places.retries === null) memory.webhooks.delete(webhookId);
  else memory.webhooks.set(webhookId, places);
}

function lower(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/**
 * The claimed deliveries, expired or not. Tokens begin with the numbers of claims, and claims come
 * one after another. So what is alive was alive at the last claim, or is not older. In two parts,
 * because a planner may read the whole index for an OR.
 */
export function claimedDeliveries({ order, tokens }: ClaimMemory): Prisma.Sql {
  const since = Prisma.sql`${tokenOf(order, lowest)}::uuid`;
  return Prisma.sql`(
    SELECT * FROM delivery WHERE claim_token >= ${since}
    UNION ALL
    SELECT * FROM delivery WHERE claim_token = ANY(${arrayLiteral(tokens)}::uuid[]) AND claim_token < ${since})`;
}

const lowest = "00000000-0000-0000-0000-000000000000";

/** A token of a claim with this number: the rest is of a random id. */
export function tokenOf(order: bigint, id: string): string {
  const digits = order.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}${id.slice(13)}`;
}
