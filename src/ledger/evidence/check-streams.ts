import { placeAfter, streamStart } from "../../domain/delivery/stream.ts";
import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** One statement reads this many notifications. */
const batch = 5_000;

type Place = { businessId: string; chainName: string; sequence: bigint };

type Row = Place & {
  id: string;
  digest: string;
  /** Null: this row is the first one here of its stream. */
  before: bigint | null;
  beforeDigest: string | null;
};

/**
 * Finds the first notification of each stream that does not follow from the one before it. Then one
 * between the two is missing, or a place was changed. Notifications that retention removed are no
 * finding.
 */
export async function findBrokenStreams(db: Database): Promise<LedgerFinding[]> {
  const found = new Map<string, LedgerFinding>();
  let after: Place | null = null;
  do {
    const rows: Row[] = await readRows(db, after);
    for (const row of rows) {
      const { businessId, chainName, sequence } = row;
      const stream = `${businessId} ${chainName}`;
      if (!follows(row) && !found.has(stream))
        found.set(stream, { kind: "stream", businessId, chainName, sequence });
    }
    after = rows.length < batch ? null : (rows.at(-1) ?? null);
  } while (after !== null);
  return [...found.values()];
}

function readRows(db: Database, after: Place | null): Promise<Row[]> {
  return statementsOf(db).$queryRaw<Row[]>`
    SELECT n.id, n.business_id AS "businessId", n.chain_name AS "chainName", n.sequence,
      encode(n.digest, 'hex') AS digest, COALESCE(m.sequence, p.sequence) AS before,
      encode(COALESCE(m.digest, p.digest), 'hex') AS "beforeDigest"
    FROM notification n LEFT JOIN pruned_stream p ON p.business_id = n.business_id AND p.chain_name = n.chain_name
      LEFT JOIN notification m ON m.business_id = n.business_id AND m.chain_name = n.chain_name
        AND m.sequence = n.sequence - 1
    WHERE n.sequence > COALESCE(p.sequence, 0)
      AND (${after?.businessId ?? null}::uuid IS NULL OR (n.business_id, n.chain_name, n.sequence)
        > (${after?.businessId ?? null}::uuid, ${after?.chainName ?? null}::text, ${after?.sequence ?? null}::bigint))
    ORDER BY n.business_id, n.chain_name, n.sequence LIMIT ${batch}`;
}

function follows({ id, sequence, digest, before, beforeDigest }: Row): boolean {
  const previous =
    before === null || beforeDigest === null
      ? streamStart
      : { sequence: Number(before), digest: beforeDigest };
  const expected = placeAfter(previous, id);
  return BigInt(expected.sequence) === sequence && expected.digest === digest;
}
