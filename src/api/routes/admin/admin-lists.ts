import { z } from "zod";

/** One page of a list, ready to be shown. */
export type Listed<Row> = { data: Row[]; next_cursor: string | null };

export type PageInput = { limit?: number; cursor?: string };

export const noQuery = z.strictObject({});

/** For verbs that need none: nothing, or an empty object. */
export const noBody = z.strictObject({}).nullish();

export function pageInput(query: { limit: number; cursor?: string | undefined }): PageInput {
  const { limit, cursor } = query;
  return cursor === undefined ? { limit } : { limit, cursor };
}

export function listBody<Row>({ data, next_cursor }: Listed<Row>) {
  return { success: true as const, data, next_cursor };
}
