import { createHash, type Hash } from "node:crypto";
import type { Credit, CreditLine } from "../../domain/credits/credit.ts";
import {
  type CheckedLine,
  type ReceivedCredits,
  type SentCredits,
  silentS,
} from "../../domain/credits/credit-check.ts";
import { judgeCredit, type Received } from "../../domain/credits/judge.ts";
import { type CreditFormat, readCredits } from "../../domain/credits/read-credits.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction, inTransactionByIndex, type Tx } from "../postgres/transaction.ts";
import { lockBusiness } from "../webhooks/lock-business.ts";
import { emptyLine, insertLines } from "./credit-lines.ts";
import { findReceived } from "./find-received.ts";

/**
 * Begins a run, and writes the answer to each credit, a batch in one transaction. Memory is
 * constant, and no lock of the ledger is held in between. `settleCredits` does the rest. A run that
 * is never finished is deleted by the pruner.
 * @throws Fault `business_not_found`; `reconciliation_running` while another run of the business is
 *   under way; `invalid_request` as readCredits
 */
export async function receiveCredits(db: Database, sent: SentCredits): Promise<ReceivedCredits> {
  const { businessId, format, bytes } = sent;
  const checkId = await begin(db, businessId, format);
  const hash = createHash("sha256");
  try {
    for await (const batch of readCredits(hashed(bytes, hash), format))
      await inTransactionByIndex(db, (tx) => answerBatch(tx, { businessId, checkId }, batch));
  } catch (error) {
    await abandonCredits(db, checkId);
    throw error;
  }
  return { checkId, businessId, digest: hash.digest("hex") };
}

/** Ends a run that will not be finished, so that another one may begin at once. Safe to repeat. */
export async function abandonCredits(db: Database, checkId: string): Promise<void> {
  await statementsOf(db).$executeRaw`
    UPDATE credit_check SET seen_at = '-infinity' WHERE id = ${checkId}::uuid AND finished_at IS NULL`;
}

function begin(db: Database, businessId: string, format: CreditFormat): Promise<string> {
  return inTransaction(db, async (tx) => {
    await lockBusiness(tx, businessId);
    const running = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM credit_check WHERE business_id = ${businessId}::uuid AND finished_at IS NULL
        AND seen_at > clock_timestamp() - ${silentS}::int * interval '1 second'`;
    if (running.length > 0)
      throw new Fault(
        "reconciliation_running",
        "Credits of the business are being compared: wait for that answer.",
      );
    const id = idAt(Date.now());
    await tx.creditCheck.create({ data: { id, businessId, format } });
    return id;
  });
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Hash) {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

type Run = { businessId: string; checkId: string };

async function answerBatch(tx: Tx, run: Run, batch: readonly CreditLine[]): Promise<void> {
  const credits = batch.flatMap((one) => (one.kind === "credit" ? [one.credit] : []));
  const facts = (await findReceived(tx, run.businessId, credits)).values();
  const lines = batch.map((one): CheckedLine => {
    if (one.kind === "malformed") return malformedLine(one);
    const { value } = facts.next();
    const known = value ?? { received: null, isWalletKnown: true };
    const verdict = judgeCredit(one.credit, known);
    const isFound = verdict.verdict !== "not_received";
    return {
      ...lineOf(one.line, one.credit, known.received),
      ...hashOf(one.credit, isFound),
      ...verdict,
    };
  });
  await insertLines(tx, run.checkId, lines);
}

type Malformed = Extract<CreditLine, { kind: "malformed" }>;

function malformedLine({ line, problem, text }: Malformed): CheckedLine {
  return {
    ...emptyLine,
    number: line,
    verdict: "malformed",
    cause: "malformed",
    problem: problem.sentence,
    problemCode: problem.code,
    problemValues: problem.values,
    text,
  };
}

/**
 * A stored hash names the transaction of a line that has one. So a hash beside an id is left out.
 */
function hashOf({ transactionId, txHash }: Credit, isFound: boolean): Pick<CheckedLine, "txHash"> {
  return { txHash: isFound && transactionId !== null ? null : txHash };
}

/**
 * The line of a credit with its transaction in the ledger, before `settleRepeats` judges it again.
 */
function lineOf(
  number: number,
  credit: Credit,
  received: Received | null,
): Omit<CheckedLine, "verdict" | "cause" | "txHash"> {
  return {
    number,
    reference: credit.reference,
    creditedAt: credit.creditedAt,
    asset: credit.asset,
    amount: credit.amount,
    transactionId: received?.transactionId ?? credit.transactionId,
    walletId: credit.walletId,
    address: credit.address,
    receivedAsset: received?.assetCode ?? null,
    receivedAmount: received?.amount ?? null,
    problem: null,
    problemCode: null,
    problemValues: null,
    text: null,
  };
}
