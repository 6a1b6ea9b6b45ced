import { isId } from "./id.ts";
import { invalidField } from "./text.ts";

/** An amount in atomic units, and the decimals of its asset. */
export type PlaceAmount = { atomic: bigint; decimals: number };

/**
 * The time or the amount of a row, in a list that sorts by it. The cursor has it as it was read. So
 * the next page begins at the same place if the row changes. A notification has the amount of the
 * transaction that `afterTransactionId` names.
 */
type SortedBy = { afterAt?: Date; afterAmount?: PlaceAmount; afterTransactionId?: string };

/**
 * The row after which a page begins; null: it begins at the newest. A list in the order of times
 * looks a time up by the id if it is left out.
 */
export type PagePlace = SortedBy & { afterId: string | null };

/** Asks for a page, newest first. It has `limit` rows. */
export type PageRequest = PagePlace & { limit: number };

export type Page<T> = { rows: T[]; nextCursor: string | null };

export const defaultPageSize = 50;
export const maxPageSize = 500;

/**
 * Makes a page of rows that were read with one more than the limit. The additional row only shows
 * that there is a next page.
 * @param sortedBy in a list of another order than that of ids: what sorts a row
 */
export function toPage<T extends { id: string }>(
  rows: T[],
  limit: number,
  sortedBy?: (row: T) => SortedBy,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { rows: shown, nextCursor: hasMore ? encodeCursor(last.id, sortedBy?.(last)) : null };
}

/**
 * An id has 16 bytes. A time in ms has six, enough for some thousand years. An amount has one for
 * its decimals and 33 for its 78 digits. The length of a cursor says which of them it has.
 */
const [idBytes, timeBytes, amountBytes] = [16, 6, 34];

/** Makes a cursor, which is opaque to the caller. */
export function encodeCursor(id: string, sortedBy: SortedBy = {}): string {
  const { afterAt, afterAmount, afterTransactionId = "" } = sortedBy;
  let hex = id;
  if (afterAt !== undefined) hex += hexOf(afterAt.getTime(), timeBytes);
  if (afterAmount !== undefined)
    hex += hexOf(afterAmount.decimals, 1) + hexOf(afterAmount.atomic, amountBytes - 1);
  hex += afterTransactionId;
  return Buffer.from(hex.replaceAll("-", ""), "hex").toString("base64url");
}

function hexOf(number: number | bigint, bytes: number): string {
  return number.toString(16).padStart(2 * bytes, "0");
}

/** The place in a cursor; null: the text is no cursor. */
export function decodeCursor(cursor: string): PagePlace | null {
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.toString("base64url") !== cursor) return null;
  const afterId = idIn(bytes, 0);
  if (!isId(afterId)) return null;
  switch (bytes.length - idBytes) {
    case 0:
      return { afterId };
    case timeBytes:
      return { afterId, afterAt: timeIn(bytes) };
    case amountBytes:
      return { afterId, afterAmount: amountIn(bytes, idBytes) };
    case timeBytes + amountBytes + idBytes: {
      const afterAmount = amountIn(bytes, idBytes + timeBytes);
      const afterTransactionId = idIn(bytes, idBytes + timeBytes + amountBytes);
      return { afterId, afterAt: timeIn(bytes), afterAmount, afterTransactionId };
    }
    default:
      return null;
  }
}

function idIn(bytes: Buffer, at: number): string {
  const hex = bytes.toString("hex", at, at + idBytes);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const timeIn = (bytes: Buffer) => new Date(bytes.readUIntBE(idBytes, timeBytes));

function amountIn(bytes: Buffer, at: number): PlaceAmount {
  const atomic = BigInt(`0x${bytes.toString("hex", at + 1, at + amountBytes)}`);
  return { atomic, decimals: bytes.readUInt8(at) };
}

/** The beginning of a list. */
export const firstPlace: PagePlace = { afterId: null };

/**
 * The page that a caller asks for.
 * @throws Fault `invalid_request` that names the field
 */
export function parsePageRequest(asked: { limit?: number; cursor?: string }): PageRequest {
  const { limit = defaultPageSize, cursor } = asked;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPageSize) {
    throw invalidField("limit", pageLimitRule);
  }
  const place = cursor === undefined ? firstPlace : decodeCursor(cursor);
  if (place === null) throw invalidField("cursor", cursorRule);
  return { limit, ...place };
}

export const pageLimitRule = `expected a whole number from 1 to ${maxPageSize}`;
export const cursorRule = "expected a next_cursor that a page answered";
