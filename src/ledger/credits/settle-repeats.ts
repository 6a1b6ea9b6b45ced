import type { Credit } from "../../domain/credits/credit.ts";
import type { CheckedLine } from "../../domain/credits/credit-check.ts";
import { judgeCredit, judgeRepeat, type Received } from "../../domain/credits/judge.ts";
import type { Verdict } from "../../domain/credits/verdicts.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { inTransactionByIndex, type Tx } from "../postgres/transaction.ts";
import { lineColumns, namesTransaction, noteSeen } from "./credit-lines.ts";
import { findUnnamed } from "./find-received.ts";

type Run = { businessId: string; checkId: string };

/** Lines that one step reads. */
const linesAtOnce = 20_000;

/** A line whose transaction another line names too, or the first or last line of a page. */
type NamingLine = CheckedLine & { transactionId: string; creditedAt: Date };

/**
 * Finds credits of a run that name the same transaction. The first by its time keeps the
 * transaction. It loses it to a later one only if its amount, asset or wallet is wrong. The later
 * one's must be right. A credit that names a hash gets another transaction of that hash and wallet,
 * if no credit names that one.
 */
export async function settleRepeats(db: Database, run: Run): Promise<void> {
  let after: Place | null = null;
  let first: NamingLine | null = null;
  for (;;) {
    const start: { after: Place | null; first: NamingLine | null } = { after, first };
    const done = await inTransactionByIndex(db, async (tx) => {
      const page = await readNaming(tx, run, start.after);
      const split = splitRepeats(page, start.first);
      await settle(tx, run, split.repeats);
      await noteSeen(tx, run.checkId);
      return { last: page.at(-1) ?? null, first: split.first };
    });
    if (done.last === null) return;
    after = done.last;
    first = done.first;
  }
}

type Place = Pick<NamingLine, "transactionId" | "creditedAt" | "number">;

async function readNaming(tx: Tx, { checkId }: Run, after: Place | null): Promise<NamingLine[]> {
  const place =
    after === null
      ? Prisma.empty
      : Prisma.sql`AND (l.transaction_id, l.credited_at, l.number)
          > (${after.transactionId}::uuid, ${after.creditedAt}, ${after.number}::int)`;
  return tx.$queryRaw<NamingLine[]>`
    SELECT * FROM (
      SELECT p.*, lag("transactionId") OVER w AS "before", lead("transactionId") OVER w AS "next"
      FROM (
        SELECT ${lineColumns} FROM credit_line l
        WHERE l.check_id = ${checkId}::uuid AND ${namesTransaction} ${place}
        ORDER BY l.transaction_id, l.credited_at, l.number LIMIT ${linesAtOnce}
      ) p WINDOW w AS (ORDER BY p."transactionId", p."creditedAt", p.number)
    ) q
    WHERE q."before" IS NULL OR q."next" IS NULL OR "transactionId" IN (q."before", q."next")
    ORDER BY "transactionId", "creditedAt", number`;
}

type Repeat = { line: NamingLine; earlier: NamingLine };

/** @param before the credit that keeps the last transaction of the page before */
function splitRepeats(
  page: readonly NamingLine[],
  before: NamingLine | null,
): { repeats: Repeat[]; first: NamingLine | null } {
  const repeats: Repeat[] = [];
  let first = before;
  for (const line of page) {
    if (first === null || first.transactionId !== line.transactionId) {
      first = line;
    } else if (isOff(first) && !isOff(line)) {
      repeats.push({ line: first, earlier: line });
      first = line;
    } else repeats.push({ line, earlier: first });
  }
  return { repeats, first };
}

/** True if the credit's amount, asset or wallet is not the received one. */
function isOff({ verdict }: NamingLine): boolean {
  return verdict === "other_amount" || verdict === "other_asset" || verdict === "other_wallet";
}

type Settled = Verdict & { number: number; received: Received | null };

async function settle(tx: Tx, run: Run, repeats: readonly Repeat[]): Promise<void> {
  if (repeats.length === 0) return;
  const others = await chooseOthers(tx, run, repeats);
  const settled = repeats.map(({ line, earlier }): Settled => {
    const received = others.get(line.number) ?? null;
    const verdict =
      received === null
        ? judgeRepeat(line.reference, earlier.reference)
        : judgeCredit(creditOf(line), { received, isWalletKnown: true });
    return { number: line.number, received, ...verdict };
  });
  await writeSettled(tx, run.checkId, settled);
}

/**
 * Chooses another transaction for each credit that names a hash, each transaction for one credit
 * only.
 */
async function chooseOthers(
  tx: Tx,
  run: Run,
  repeats: readonly Repeat[],
): Promise<Map<number, Received>> {
  const lines = repeats.map(({ line }) => line).filter(({ txHash }) => txHash !== null);
  const keys = new Map(lines.map((line) => [keyOf(line), creditOf(line)]));
  const named = [...keys.values()].map((credit) => ({ ...credit, transactionId: null }));
  const found = await findUnnamed(tx, run, named);
  const unnamed = new Map([...keys.keys()].map((key, index) => [key, found[index] ?? []]));
  const chosen = new Map<number, Received>();
  const taken = new Set<string>();
  for (const line of lines) {
    const one = (unnamed.get(keyOf(line)) ?? []).find(({ transactionId: id }) => !taken.has(id));
    if (one === undefined) continue;
    taken.add(one.transactionId);
    chosen.set(line.number, one);
  }
  return chosen;
}

/** Credits with the same key fit the same transactions, in the same order. */
function keyOf({ txHash, walletId, address, asset, amount }: NamingLine): string {
  return JSON.stringify([txHash, walletId, address, asset, amount]);
}

/** The credit that a line was made from. */
function creditOf(line: NamingLine): Credit {
  return {
    reference: line.reference ?? "",
    creditedAt: line.creditedAt,
    asset: line.asset ?? "",
    amount: line.amount ?? "",
    transactionId: line.txHash === null ? line.transactionId : null,
    txHash: line.txHash,
    walletId: line.walletId,
    address: line.address,
  };
}

async function writeSettled(tx: Tx, checkId: string, settled: readonly Settled[]): Promise<void> {
  const received = settled.map((one) => one.received);
  await tx.$executeRaw`
    UPDATE credit_line l SET verdict = s.verdict, cause = s.cause,
      transaction_id = COALESCE(s.transaction_id, l.transaction_id),
      received_asset = COALESCE(s.asset, l.received_asset), received_amount = COALESCE(s.amount, l.received_amount)
    FROM unnest(
      ${arrayLiteral(settled.map(({ number }) => number))}::int[],
      ${arrayLiteral(settled.map(({ verdict }) => verdict))}::text[],
      ${arrayLiteral(settled.map(({ cause }) => cause))}::text[],
      ${arrayLiteral(received.map((one) => one?.transactionId ?? null))}::uuid[],
      ${received.map((one) => one?.assetCode ?? null)}::text[],
      ${arrayLiteral(received.map((one) => one?.amount ?? null))}::numeric[]
    ) AS s(number, verdict, cause, transaction_id, asset, amount)
    WHERE l.check_id = ${checkId}::uuid AND l.number = s.number`;
}
