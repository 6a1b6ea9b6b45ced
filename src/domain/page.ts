import { isId } from "./id.ts";
import { invalidField } from "./text.ts";

/**
 * Asks for a page, newest first. It has `limit` rows and begins after the id; null: at the newest.
 */
export type PageRequest = { limit: number; afterId: string | null };

export type Page<T> = { rows: T[]; nextCursor: string | null };

export const defaultPageSize = 50;
export const maxPageSize = 500;

/**
 * Makes a page of rows that were read with one more than the limit. The additional row only shows
 * that there is a next page.
 */
export function toPage<T extends { id: string }>(rows: T[], limit: number): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { rows: shown, nextCursor: hasMore ? encodeCursor(last.id) : null };
}

/** Makes a cursor, which is opaque to the caller. */
export function encodeCursor(id: string): string {
  return Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");
}

/** The id in a cursor; null: the text is no cursor. */
export function decodeCursor(cursor: string): string | null {
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length !== 16 || bytes.toString("base64url") !== cursor) return null;
  const id = bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return isId(id) ? id : null;
}

/**
 * The page that a caller asks for.
 * @throws Fault `invalid_request` that names the field
 */
export function parsePageRequest(asked: { limit?: number; cursor?: string }): PageRequest {
  const { limit = defaultPageSize, cursor } = asked;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPageSize) {
    throw invalidField("limit", pageLimitRule);
  }
  const afterId = cursor === undefined ? null : decodeCursor(cursor);
  if (cursor !== undefined && afterId === null) throw invalidField("cursor", cursorRule);
  return { limit, afterId };
}

export const pageLimitRule = `expected a whole number from 1 to ${maxPageSize}`;
export const cursorRule = "expected a next_cursor that a page answered";
