import { z } from "zod";

/** One page of a list, ready to be shown. */
export type Listed = { data: object[]; next_cursor: string | null };

export type PageInput = { limit?: number; cursor?: string };

export const noQuery = z.strictObject({});

export function pageInput(query: { limit: number; cursor?: string | undefined }): PageInput {
  const { limit, cursor } = query;
  return cursor === undefined ? { limit } : { limit, cursor };
}

export function listBody({ data, next_cursor }: Listed) {
  return { success: true, data, next_cursor };
}
