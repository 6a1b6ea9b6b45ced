import { nilId } from "../../domain/id.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";

/**
 * A relay's memory from one claim to the next. It saves a claim from reading rows that were dead at
 * the claim before. It is optional: a claim with an empty memory reads everything. It is emptied
 * when a claim fails, and every `rememberedMs`. A relay that claims nothing looks at everything as
 * often (see readPending).
 */
export type ClaimMemory = {
  /** When the memory began, in ms by the database's clock; null: it is empty. */
  sinceMs: number | null;
  /** The number of the last claim, and the tokens of older claims that still held then. */
  order: bigint;
  tokens: readonly string[];
  /** Every row of due_delivery with a lower position was seen or is gone; null: none was seen. */
  position: bigint | null;
  /** `position` may rise to this once all these writers have ended. */
  awaited: { position: bigint; writers: ReadonlySet<string> } | null;
  /** The lowest live places of each webhook with waiting deliveries. */
  webhooks: Map<string, KnownPlaces>;
  /**
   * The number of the last claim for each business of `webhooks`. Another relay may have made a
   * later one. No number counts as 0, and a business that was never claimed for has 0.
   */
  turns: Map<string, bigint>;
  /**
   * Tokens of claims that have failed. Such a claim may hold, if only its answer was lost. Nobody
   * sends its deliveries, and the next claim gives them back. The tokens survive when the memory is
   * emptied.
   */
  unanswered: readonly string[];
};

/** The most tokens in `unanswered`, the newest. The leases of the others end by themselves. */
const mostUnanswered = 1_000;

/**
 * The memory is emptied after this many ms. A crashed server may have lost a claim that was not on
 * its disk. Its delivery then waits at a place that the memory skips.
 */
const rememberedMs = 15_000;

/** The lowest place of first attempts, and of retries; null: there is none. */
export type KnownPlaces = { businessId: string; firsts: bigint | null; retries: bigint | null };

/** The state of due_delivery before a claim read it. `order` is the number of the claim. */
export type Progress = {
  order: bigint;
  /** The time, by the database's clock. */
  nowMs: number;
  /** The highest position that any row was given. */
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
    turns: new Map(),
    unanswered: [],
  };
}

/**
 * True if the memory must not be used: it is too old, or the database went back in time. That
 * happens by a restore, or with a standby that lacked the last changes.
 */
export function isStale(memory: ClaimMemory, { order, nowMs, position }: Progress): boolean {
  if (memory.sinceMs === null) return false;
  const isBack = order <= memory.order || position + 1n < (memory.position ?? 0n);
  return isBack || isOld(memory, nowMs);
}

/** True if the memory began too long ago. `nowMs`: by the database's clock. */
export function isOld({ sinceMs }: ClaimMemory, nowMs: number): boolean {
  return sinceMs !== null && (nowMs < sinceMs || nowMs >= sinceMs + rememberedMs);
}

/**
 * Empties the memory, after an error or when it is stale. `unanswered`: the tokens of a claim that
 * has failed just now.
 */
export function forget(memory: ClaimMemory, unanswered: readonly string[] = []): void {
  const all = [...memory.unanswered, ...unanswered].slice(-mostUnanswered);
  Object.assign(memory, emptyMemory(), { unanswered: all });
}

/**
 * Notes that all visible rows were read, by a statement that began after `progress`. A transaction
 * gets a position before others can see its row, and a later position may be committed first. So a
 * position counts only once all transactions that were writing at that time have ended.
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
 * Stores the lowest places of a webhook as a statement found them. With `asked` false the statement
 * saw only new rows, so known places stay where they are lower.
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

/** Businesses in their turn: the one whose last claim is oldest comes first. */
export type Turn = { businessId: string; number: bigint };

/**
 * The webhooks with something due, as far as known, of the `most` businesses that come first.
 * Businesses in `passed` are left out. `last` is the turn of the last of them, if there are more:
 * all others come after it. Null: there are no others.
 */
export function firstInTurn(
  { webhooks, turns }: Pick<ClaimMemory, "webhooks" | "turns">,
  { nowMs, passed, most }: { nowMs: number; passed: ReadonlySet<string>; most: number },
): { webhooks: [string, KnownPlaces][]; last: Turn | null } {
  const due = [...webhooks].filter(
    ([, { businessId, firsts, retries }]) =>
      (firsts !== null || (retries !== null && retries <= nowMs)) && !passed.has(businessId),
  );
  const inTurn = [...new Set(due.map(([, { businessId }]) => businessId))]
    .map((businessId) => ({ businessId, number: turns.get(businessId) ?? 0n }))
    .toSorted(byTurn);
  const first = inTurn.slice(0, most);
  const chosen = new Set(first.map(({ businessId }) => businessId));
  return {
    webhooks: due.filter(([, { businessId }]) => chosen.has(businessId)),
    last: inTurn.length > most ? (first.at(-1) ?? null) : null,
  };
}

function byTurn(a: Turn, b: Turn): number {
  if (a.number !== b.number) return a.number < b.number ? -1 : 1;
  return a.businessId < b.businessId ? -1 : 1;
}

function lower(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/**
 * Selects the claimed deliveries, expired or not. A token begins with the number of its claim, and
 * claims are made one after another. So each live token was live at the last claim, or is newer. It
 * is a UNION because a planner may read the whole index for an OR.
 */
export function claimedDeliveries({ order, tokens }: ClaimMemory): Prisma.Sql {
  const since = Prisma.sql`${tokenOf(order, nilId)}::uuid`;
  return Prisma.sql`(
    SELECT * FROM delivery WHERE claim_token >= ${since}
    UNION ALL
    SELECT * FROM delivery WHERE claim_token = ANY(${arrayLiteral(tokens)}::uuid[]) AND claim_token < ${since})`;
}

/** Makes a claim's token: its number, and the rest of a random id. */
export function tokenOf(order: bigint, id: string): string {
  const digits = order.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}${id.slice(13)}`;
}
