import { randomUUID } from "node:crypto";
import type { Claim, KeyedOutcome, KeyedRequest } from "../../domain/business/idempotency.ts";
import { Fault } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import type { Tx } from "../postgres/transaction.ts";

/**
 * A claim lasts this long, in ms. Then its process is taken to have ended, and a repeat of the
 * request takes over.
 */
const claimMs = 60_000;

/** Keys and answers are forgotten after this many hours. */
const keptHours = 24;

/**
 * Claims a request by its Idempotency-Key, or answers the state of an earlier request with that
 * key. Of several requests at once exactly one gets the claim.
 */
export async function claimRequest(db: Database, request: KeyedRequest): Promise<KeyedOutcome> {
  const { owner, key, requestHash } = request;
  const claim = randomUUID();
  const claimed = await statementsOf(db).$executeRaw`
    INSERT INTO idempotency_key AS known (owner, key, request_hash, claim, claimed_until)
    VALUES (
      ${owner}, ${key}, ${requestHash}, ${claim}::uuid,
      clock_timestamp() + ${claimMs}::int * interval '1 millisecond'
    )
    ON CONFLICT (owner, key) DO UPDATE SET
      request_hash = EXCLUDED.request_hash, claim = EXCLUDED.claim,
      claimed_until = EXCLUDED.claimed_until, created_at = EXCLUDED.created_at,
      done_at = NULL, status = NULL, answer_ciphertext = NULL
    WHERE known.created_at < clock_timestamp() - ${keptHours}::int * interval '1 hour'
      OR (
        known.request_hash = EXCLUDED.request_hash AND known.done_at IS NULL
        AND known.claimed_until < clock_timestamp()
      )`;
  return claimed === 1 ? { kind: "claimed", claim: { owner, key, claim } } : read(db, request);
}

type Row = {
  requestHash: string;
  isDone: boolean;
  isOver: boolean;
  status: number | null;
  answerCiphertext: string | null;
};

async function read(
  db: Database,
  { owner, key, requestHash }: KeyedRequest,
): Promise<KeyedOutcome> {
  const [row] = await statementsOf(db).$queryRaw<Row[]>`
    SELECT request_hash AS "requestHash", done_at IS NOT NULL AS "isDone",
      claimed_until < clock_timestamp() AS "isOver", status, answer_ciphertext AS "answerCiphertext"
    FROM idempotency_key WHERE owner = ${owner} AND key = ${key}`;
  // The claim was released between the two statements.
  if (row === undefined) return { kind: "in_use" };
  const { status, answerCiphertext } = row;
  if (row.requestHash !== requestHash) return { kind: "other_request" };
  if (status !== null && answerCiphertext !== null)
    return { kind: "answered", status, answerCiphertext };
  return { kind: row.isDone && row.isOver ? "answer_lost" : "in_use" };
}

/**
 * Marks a request as done, in the transaction of its change. After the commit no repeat makes the
 * change again.
 * @throws Fault `idempotency_key_in_use` if another request took the claim over. The caller's
 *   transaction must then be undone
 */
export async function markDone(tx: Tx, { owner, key, claim }: Claim): Promise<void> {
  const marked = await tx.$executeRaw`
    UPDATE idempotency_key SET done_at = clock_timestamp()
    WHERE owner = ${owner} AND key = ${key} AND claim = ${claim}::uuid`;
  if (marked === 1) return;
  throw new Fault(
    "idempotency_key_in_use",
    "A later request with this Idempotency-Key has taken over: wait for its answer.",
  );
}

/**
 * Stores the answer of a claimed request. Does nothing if the claim was taken over. Safe to repeat.
 */
export async function keepAnswer(
  db: Database,
  { owner, key, claim }: Claim,
  { status, answerCiphertext }: { status: number; answerCiphertext: string },
): Promise<void> {
  await statementsOf(db).$executeRaw`
    UPDATE idempotency_key SET status = ${status}, answer_ciphertext = ${answerCiphertext},
      done_at = coalesce(done_at, clock_timestamp())
    WHERE owner = ${owner} AND key = ${key} AND claim = ${claim}::uuid`;
}

/**
 * Deletes the claim of a request that changed nothing, so that it may be repeated at once. Safe to
 * repeat.
 */
export async function releaseRequest(db: Database, { owner, key, claim }: Claim): Promise<void> {
  await statementsOf(db).$executeRaw`
    DELETE FROM idempotency_key
    WHERE owner = ${owner} AND key = ${key} AND claim = ${claim}::uuid AND done_at IS NULL`;
}

/** Deletes at most `limit` keys that are older than a day, with their answers. Answers how many. */
export async function pruneAnswers(db: Database, { limit }: { limit: number }): Promise<number> {
  return statementsOf(db).$executeRaw`
    WITH old AS MATERIALIZED (
      SELECT owner, key FROM idempotency_key
      WHERE created_at < clock_timestamp() - ${keptHours}::int * interval '1 hour'
      ORDER BY created_at LIMIT ${limit}::int
      FOR UPDATE SKIP LOCKED
    )
    DELETE FROM idempotency_key k USING old WHERE k.owner = old.owner AND k.key = old.key`;
}
