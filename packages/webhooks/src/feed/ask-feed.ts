import type { Notification } from "../notification.ts";
import { parseNotification } from "../parse-notification.ts";
import { FeedFault } from "./feed-fault.ts";

export type FeedOptions = {
  /** The address of the API, such as `https://chainbell.example.com`. */
  url: string;
  /** A key with the scope `read`. */
  apiKey: string;
  /** Only these blockchains. Default: all, each in its own order. */
  blockchain?: string | readonly string[];
  /**
   * Only these events. This field and the next five are filters: with any of them, the sequence and
   * the digest cannot be checked.
   */
  event?: string | readonly string[];
  /** Only these wallets. */
  walletId?: string | readonly string[];
  /** Only these assets, by their codes. */
  asset?: string | readonly string[];
  /** Only wallets whose reference begins with this. */
  referencePrefix?: string;
  /** The least amount, a decimal in units of `asset`. Then `asset` must be exactly one. */
  minAmount?: string;
  /**
   * The least value in US dollars at confirmation, a decimal. A notification without a price
   * passes.
   */
  minUsd?: string;
  /** The most notifications of a page, 1 to 500. Default 500. */
  limit?: number;
  /**
   * The time that Chainbell waits for a notification before an empty answer, in seconds, 0 to 30.
   * Default 30.
   */
  waitSec?: number;
};

/**
 * - `page`: what comes after the cursor, and the next cursor.
 * - `restored`: the database does not know the cursor, since it was restored to an earlier state.
 * - `expired`: retention has deleted what comes after the cursor.
 */
export type FeedAnswer =
  | { kind: "page"; cursor: string; notifications: readonly Notification[] }
  | { kind: "restored" | "expired"; cursor: string };

/** An answer counts as lost if it takes this much longer than the wait, in ms. */
const graceMs = 15_000;

/**
 * Asks the feed once: what comes after a cursor, or the oldest if the cursor is null.
 * @throws FeedFault `refused`, `unavailable`, `broken_page`. The error of an aborted request, if
 *   the signal is aborted
 */
export function askFeed(
  options: FeedOptions,
  after: string | null,
  signal: AbortSignal,
): Promise<FeedAnswer> {
  return ask(options, { place: after === null ? {} : { after }, signal, read });
}

/**
 * The notifications after a given one, in its blockchain. Null: Chainbell no longer has the given
 * one. Retention has deleted it, or the database was restored to an earlier state.
 * @throws as `askFeed`
 */
export function askAfterId(
  options: FeedOptions,
  id: string,
  signal: AbortSignal,
): Promise<FeedAnswer | null> {
  const readOrNull = (answer: Answered) => (isUnknownId(answer) ? null : read(answer));
  return ask(options, { place: { after_id: id }, signal, read: readOrNull });
}

type Place = { after?: string; after_id?: string };

type Answered = { status: number; headers: Headers; text: string };

type Asking<Read> = { place: Place; signal: AbortSignal; read: (answer: Answered) => Read };

async function ask<Read>(
  options: FeedOptions,
  { place, signal, read: readAs }: Asking<Read>,
): Promise<Read> {
  const waitSec = options.waitSec ?? 30;
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, waitSec * 1_000 + graceMs);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    const answer = await fetch(urlOf(options, { place, waitSec }), {
      headers: { "x-api-key": options.apiKey, accept: "application/x-ndjson" },
      // The key is only for this address.
      redirect: "error",
      signal: ending.signal,
    });
    const { status, headers } = answer;
    return readAs({ status, headers, text: await answer.text() });
  } catch (cause) {
    if (cause instanceof FeedFault || signal.aborted) throw cause;
    throw new FeedFault("unavailable", "Chainbell did not answer.", { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** The parameters that filter the feed. */
function filterOf(options: FeedOptions): Record<string, string | readonly string[] | undefined> {
  const { event, walletId, asset, referencePrefix, minAmount, minUsd } = options;
  return {
    event,
    wallet_id: walletId,
    asset,
    reference_prefix: referencePrefix,
    min_amount: minAmount,
    min_usd: minUsd,
  };
}

/** True if no filter is set. */
export function isWholeFeed(options: FeedOptions): boolean {
  return Object.values(filterOf(options)).every((value) => value === undefined);
}

function urlOf(options: FeedOptions, { place, waitSec }: { place: Place; waitSec: number }): URL {
  const { url, blockchain, limit = 500 } = options;
  const asked = new URL(`${url.replace(/\/+$/, "")}/notifications/feed`);
  const given = { blockchain, ...filterOf(options), ...place };
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) asked.searchParams.set(name, String(value));
  asked.searchParams.set("limit", String(limit));
  asked.searchParams.set("wait", String(waitSec));
  return asked;
}

function read({ status, headers, text }: Answered): FeedAnswer {
  if (status === 200) {
    const lines = text.split("\n").filter((line) => line !== "");
    return { kind: "page", cursor: cursorOf(headers), notifications: lines.map(parsed) };
  }
  if (status === 409) return { kind: "restored", cursor: cursorOf(headers) };
  if (status === 410) return { kind: "expired", cursor: cursorOf(headers) };
  if (status === 408 || status === 429 || status >= 500) {
    const seconds = Number(headers.get("retry-after") ?? Number.NaN);
    const retryAfterMs = seconds >= 0 ? seconds * 1_000 : null;
    throw new FeedFault("unavailable", `Chainbell answered ${status}.`, { status, retryAfterMs });
  }
  throw new FeedFault("refused", `Chainbell refuses with ${status}: ${text.slice(0, 500)}`, {
    status,
  });
}

/** The code tells this 404 from others, such as that of a wrong address. */
function isUnknownId({ status, text }: Answered): boolean {
  return status === 404 && /"code":\s*"notification_not_found"/.test(text);
}

function cursorOf(headers: Headers): string {
  const cursor = headers.get("chainbell-cursor");
  if (cursor !== null && cursor !== "") return cursor;
  throw new FeedFault(
    "broken_page",
    "The answer has no chainbell-cursor: is this Chainbell's API?",
  );
}

function parsed(line: string): Notification {
  try {
    return parseNotification(line);
  } catch (cause) {
    throw new FeedFault("broken_page", "A line of the feed is no notification.", { cause });
  }
}
