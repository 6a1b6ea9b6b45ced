import { expect } from "vitest";

type Listed<Row> = { data: Row[]; next_cursor: string | null };

/**
 * Follows the cursors of a list to its end. Each page has at most `limit` rows, and all have at most
 * `most`: pages that go round would never end.
 */
export async function allPages<Row>(
  ask: (query: string) => Promise<Listed<Row>>,
  { query, limit, most }: { query: string; limit: number; most: number },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = ""; ; ) {
    const page = await ask(`${query}&limit=${limit}${after}`);
    expect(page.data.length).toBeLessThanOrEqual(limit);
    rows.push(...page.data);
    expect(rows.length).toBeLessThanOrEqual(most);
    if (page.next_cursor === null) return rows;
    after = `&cursor=${page.next_cursor}`;
  }
}
