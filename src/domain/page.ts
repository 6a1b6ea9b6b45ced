import { isId } from "./id.ts";
import { invalidField } from "./text.ts";

/**
 * The row after which a page begins; null: it begins at the newest. `afterAt`: the row's time, in a
 * list in the order of times. Left out: the list looks it up by the id.
 */
export type PagePlace = { afterId: string | null; afterAt?: Date };

/** Asks for a page, newest first. It has `limit` rows. */
export type PageRequest = PagePlace & { limit: number };

export type Page<T> = { rows: T[]; nextCursor: string | null };

export const defaultPageSize = 50;
export const maxPageSize = 500;

/**
 * Makes a page of rows that were read with one more than the limit. The additional row only shows
 * that there is a next page.
 * @param timeOf in a list in the order of times: the time of a row, in whole ms
 */
export function toPage<T extends { id: string }>(
  rows: T[],
  limit: number,
  timeOf?: (row: T) => Date,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { rows: shown, nextCursor: hasMore ? encodeCursor(last.id, timeOf?.(last)) : null };
}

/** An id has 16 bytes. A time in ms has six, enough for some thousand years. */
const [idBytes, timeBytes] = [16, 6];

/** Makes a cursor, which is opaque to the caller. */
export function encodeCursor(id: string, at?: Date): string {
  const bytes = Buffer.alloc(at === undefined ? idBytes : idBytes + timeBytes);
  bytes.write(id.replaceAll("-", ""), "hex");
  if (at !== undefined) bytes.writeUIntBE(at.getTime(), idBytes, timeBytes);
  return bytes.toString("base64url");
}

/** The place in a cursor; null: the text is no cursor. */
export function decodeCursor(cursor: string): PagePlace | null {
  const bytes = Buffer.from(cursor, "base64url");
  const hasTime = bytes.length === idBytes + timeBytes;
  if (!hasTime && bytes.length !== idBytes) return null;
  if (bytes.toString("base64url") !== cursor) return null;
  const hex = bytes.toString("hex", 0, idBytes);
  const afterId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  if (!isId(afterId)) return null;
  return hasTime
    ? { afterId, afterAt: new Date(bytes.readUIntBE(idBytes, timeBytes)) }
    : { afterId };
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
