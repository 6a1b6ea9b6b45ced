import type { CheckedLine } from "../../domain/credits/credit-check.ts";
import { Fault } from "../../domain/fault.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Tx } from "../postgres/transaction.ts";

/** The lines `l` of a run that name a transaction. Their index has the same condition. */
export const namesTransaction = Prisma.sql`l.verdict <> 'not_received' AND l.transaction_id IS NOT NULL`;

/** The columns of a line `l` in an answer. */
export const lineColumns = Prisma.sql`
  l.number, l.verdict, l.cause, l.reference, l.credited_at AS "creditedAt", l.asset, trim_scale(l.amount)::text AS amount,
  l.transaction_id AS "transactionId", l.tx_hash AS "txHash", l.wallet_id AS "walletId", l.address,
  l.received_asset AS "receivedAsset", trim_scale(l.received_amount)::text AS "receivedAmount", l.problem,
  l.problem_code AS "problemCode", l.problem_values AS "problemValues", l.text`;

/** A stored line whose optional fields are all empty. */
export const emptyLine = {
  cause: null,
  reference: null,
  creditedAt: null,
  asset: null,
  amount: null,
  transactionId: null,
  txHash: null,
  walletId: null,
  address: null,
  receivedAsset: null,
  receivedAmount: null,
  problem: null,
  problemCode: null,
  problemValues: null,
  text: null,
} as const satisfies Partial<CheckedLine>;

/**
 * Adds answered lines to a run, and notes that the run's process is alive.
 * @throws Fault as noteSeen
 */
export async function insertLines(
  tx: Tx,
  checkId: string,
  lines: readonly CheckedLine[],
): Promise<void> {
  await noteSeen(tx, checkId);
  const column = <Name extends keyof CheckedLine>(name: Name) => lines.map((line) => line[name]);
  const values = lines.map(({ problemValues: of }) => (of === null ? null : JSON.stringify(of)));
  const times = lines.map(({ creditedAt }) => creditedAt?.toISOString() ?? null);
  await tx.$executeRaw`
    INSERT INTO credit_line (check_id, number, verdict, cause, reference, credited_at, asset, amount, transaction_id,
      tx_hash, wallet_id, address, received_asset, received_amount, problem, problem_code, problem_values, text)
    SELECT ${checkId}::uuid, l.* FROM unnest(
      ${arrayLiteral(column("number"))}::int[], ${arrayLiteral(column("verdict"))}::text[], ${arrayLiteral(column("cause"))}::text[],
      ${column("reference")}::text[], ${arrayLiteral(times)}::timestamptz[], ${column("asset")}::text[],
      ${arrayLiteral(column("amount"))}::numeric[], ${arrayLiteral(column("transactionId"))}::uuid[],
      ${arrayLiteral(column("txHash"))}::text[], ${arrayLiteral(column("walletId"))}::uuid[],
      ${arrayLiteral(column("address"))}::text[], ${column("receivedAsset")}::text[],
      ${arrayLiteral(column("receivedAmount"))}::numeric[], ${column("problem")}::text[],
      ${arrayLiteral(column("problemCode"))}::text[], ${values}::text[]::jsonb[], ${column("text")}::text[]
    ) AS l`;
}

/**
 * Notes that the process of a run is alive. A run that was given up stays so: some of its lines may
 * be deleted already.
 * @throws Fault `invalid_request` if the run was given up, as after a long silence of the sender or
 *   of the database. Such an answer does not use up an Idempotency-Key
 */
export async function noteSeen(tx: Tx, checkId: string): Promise<void> {
  const noted = await tx.$executeRaw`
    UPDATE credit_check SET seen_at = clock_timestamp() WHERE id = ${checkId}::uuid AND seen_at > '-infinity'`;
  if (noted > 0) return;
  const message = "The comparison was given up after a long silence: send the credits again.";
  throw new Fault("invalid_request", message);
}
