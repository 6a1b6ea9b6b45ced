import { chainName, type World } from "../world.ts";

type NotifiedRow = {
  id: string;
  businessId: string;
  transactionId: string;
  round: number;
  state: "pending" | "confirmed" | "dropped" | "reversed";
  event: string;
  body: string;
  status: "pending" | "completed" | "dropped" | "reversed";
  transactionRound: number;
  type: string;
  txHash: string;
  walletId: string;
  notifyPending: boolean;
};

type Body = {
  id: string;
  event: string;
  data: {
    transactionId: string;
    txHash: string;
    status: string;
    walletId: string;
    blockchain: string;
    reversesNotificationId?: string;
  };
};

const notified = new Set(["deposit", "withdrawal", "payment"]);

/**
 * What was notified, against what each transaction has become: confirmed and reversed in turn, each
 * in its round and once, the last of them saying what is so now. Must hold between any two ledger
 * transactions.
 */
export async function checkNotified(world: World): Promise<void> {
  const { fail } = world;
  const notified = await world.sql<NotifiedRow>(
    `SELECT n.id, n.business_id AS "businessId", n.transaction_id AS "transactionId", n.round, n.state, n.event, n.body,
       t.status, t.round AS "transactionRound", t.type, t.tx_hash AS "txHash", t.wallet_id AS "walletId",
       b.notify_pending AS "notifyPending"
     FROM notification n JOIN transaction t ON t.id = n.transaction_id JOIN business b ON b.id = n.business_id
     ORDER BY n.created_at, n.id`,
  );
  const byTransaction = new Map<string, NotifiedRow[]>();
  for (const row of notified) {
    byTransaction.set(row.transactionId, [...(byTransaction.get(row.transactionId) ?? []), row]);
    checkBody(row, notified, fail);
  }
  const transactions = await world.sql<{
    id: string;
    type: string;
    status: NotifiedRow["status"];
    round: number;
    notifyPending: boolean;
  }>(
    `SELECT t.id, t.type, t.status, t.round, b.notify_pending AS "notifyPending"
     FROM transaction t JOIN business b ON b.id = t.business_id`,
  );
  for (const transaction of transactions) {
    const said = (byTransaction.get(transaction.id) ?? []).map(
      (row) => `${row.state} ${row.round}`,
    );
    const isPending = (one: string) => one.startsWith("pending");
    const all = expectedTold(transaction);
    // Far behind, what is confirmed at once is not announced as pending before.
    const expected = world.known.ranges > 0 ? all.filter((one) => !isPending(one)) : all;
    const mayBe = new Set([...mayBeTold(transaction), ...all]);
    const missing = expected.filter((one) => !said.includes(one));
    const wrong = said.filter((one) => !expected.includes(one) && !mayBe.has(one));
    const isTwice = new Set(said).size !== said.length;
    if (missing.length + wrong.length > 0 || isTwice) {
      fail(
        `transaction ${transaction.id} (${transaction.type}, ${transaction.status}, round ${transaction.round}) was notified ` +
          `${said.join(", ") || "nothing"}; missing: ${missing.join(", ")}; wrong: ${wrong.join(", ")}`,
      );
    }
    checkOrder(byTransaction.get(transaction.id) ?? [], fail);
  }
}

type Transaction = {
  type: string;
  status: NotifiedRow["status"];
  round: number;
  notifyPending: boolean;
};

/**
 * A transaction of round r was confirmed and reversed r times before; then comes what it is now.
 */
function expectedTold({ type, status, round, notifyPending }: Transaction): string[] {
  if (!notified.has(type)) return [];
  const before = Array.from({ length: round }, (_, past) => past);
  const expected = before.flatMap((past) => [`confirmed ${past}`, `reversed ${past}`]);
  if (status === "completed") expected.push(`confirmed ${round}`);
  if (!notifyPending) return expected;
  expected.push(...before.map((past) => `pending ${past}`));
  // Reversed and not included again: the new round is not notified yet.
  if (status !== "reversed") expected.push(`pending ${round}`);
  if (status === "dropped") expected.push(`dropped ${round}`);
  return expected;
}

/** Dropped once in a round, and included again in it. */
function mayBeTold({ type, round, notifyPending }: Transaction): string[] {
  if (!notified.has(type) || !notifyPending) return [];
  return Array.from({ length: round + 1 }, (_, past) => `dropped ${past}`);
}

function checkBody(row: NotifiedRow, notified: NotifiedRow[], fail: (what: string) => void): void {
  const body = JSON.parse(row.body) as Body;
  const { data } = body;
  const reverses = notified.find(
    (other) =>
      other.transactionId === row.transactionId &&
      other.round === row.round &&
      other.state === "confirmed",
  );
  const isRight =
    body.id === row.id &&
    body.event === row.event &&
    data.transactionId === row.transactionId &&
    data.txHash === row.txHash &&
    data.status === row.state &&
    data.walletId === row.walletId &&
    data.blockchain === chainName &&
    (row.state !== "reversed" || data.reversesNotificationId === reverses?.id);
  if (!isRight) fail(`notification ${row.id} has the body ${row.body}`);
}

/**
 * In the order in which they were notified, rounds rise and a reversal comes after its
 * confirmation.
 */
function checkOrder(notified: NotifiedRow[], fail: (what: string) => void): void {
  const weights = notified
    .filter((row) => row.state === "confirmed" || row.state === "reversed")
    .map((row) => row.round * 2 + (row.state === "reversed" ? 1 : 0));
  if (weights.some((weight, place) => weight < (weights[place - 1] ?? 0)))
    fail(
      `${notified[0]?.transactionId} was notified ${notified.map((row) => `${row.state} ${row.round}`)}`,
    );
}
