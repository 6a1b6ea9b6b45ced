import { linesOf } from "../../format/lines.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import type { paths } from "../../wire/generated/api-paths.ts";
import type { Asking } from "../../wire/use-answer.ts";

type Query = NonNullable<paths["/transactions"]["get"]["parameters"]["query"]>;

const pageSize = 500;

/** The fields of its wallet that a list shows beside each transaction. */
export const withCustomer = { include: "reference,label" } as const;

/**
 * The transactions of all pages, the newest first, at most so many; `isWhole`: there were no more.
 */
export async function readTransactions(
  query: Query,
  { most, as = { headers: {} } }: { most: number; as?: Asking },
): Promise<{ rows: Schema<"Transaction">[]; isWhole: boolean }> {
  const rows: Schema<"Transaction">[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: Schema<"Transaction">[]; next_cursor: string | null } = await answered(
      api.GET("/transactions", {
        params: { query: { ...query, limit: pageSize, ...(cursor === null ? {} : { cursor }) } },
        ...as,
      }),
    );
    rows.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < most);
  return { rows, isWhole: cursor === null };
}

/**
 * The transactions of all pages, however many, as an export of the API gives them. Ends with a
 * fault where the export breaks off. Each row has every field of `include`.
 */
export async function* exportTransactions(
  query: Omit<Query, "include" | "cursor">,
): AsyncGenerator<Schema<"Transaction">, void, void> {
  const body = await answered(
    api.GET("/transactions", {
      params: { query },
      headers: { accept: "application/x-ndjson" },
      parseAs: "stream",
    }),
  );
  if (body !== null) for await (const line of linesOf(body)) yield JSON.parse(line);
}
