import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";

/** At most this many findings of a check are named. More would say nothing new. */
export const mostNamed = 100;

/**
 * Judges all rows in batches, in the order of their ids, until `mostNamed` findings are there. The
 * last batch is judged whole.
 * @param of.batch the rows of one `read`, which answers fewer only at the end
 */
export async function findAmong<Row extends { id: string }>(of: {
  batch: number;
  read: (after: string | null) => Promise<Row[]>;
  judge: (row: Row) => LedgerFinding | null | Promise<LedgerFinding | null>;
}): Promise<LedgerFinding[]> {
  const found: LedgerFinding[] = [];
  let after: string | null = null;
  do {
    const rows = await of.read(after);
    for (const row of rows) {
      const finding = await of.judge(row);
      if (finding !== null) found.push(finding);
    }
    after = rows.length < of.batch ? null : (rows.at(-1)?.id ?? null);
  } while (after !== null && found.length < mostNamed);
  return found;
}
