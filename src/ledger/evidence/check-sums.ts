import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import { accountOf, entryKinds } from "../../domain/evidence/ledger-entry.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { transactionTypes } from "../../domain/money/transaction.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { words } from "../postgres/words.ts";
import { mostNamed } from "./find-among.ts";

/** Checks every sum that must hold. Each is one statement, and so of one moment. */
export async function checkSums(db: Database): Promise<LedgerFinding[]> {
  return [
    ...(await findNotZero(db)),
    ...(await findBalances(db)),
    ...(await findOpenings(db)),
    ...(await findPending(db)),
    ...(await findOtherOwners(db)),
    ...(await findAccounts(db)),
    ...(await findTransactions(db)),
  ];
}

async function findNotZero(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<
    { assetId: number; wallets: string; accounts: string }[]
  >`
    WITH held AS (SELECT asset_id, sum(confirmed) AS amount FROM balance GROUP BY asset_id),
      against AS (SELECT asset_id, sum(amount) AS amount FROM ledger_account GROUP BY asset_id)
    SELECT a.id AS "assetId", COALESCE(h.amount, 0)::text AS wallets, COALESCE(g.amount, 0)::text AS accounts
    FROM asset a LEFT JOIN held h ON h.asset_id = a.id LEFT JOIN against g ON g.asset_id = a.id
    WHERE COALESCE(h.amount, 0) + COALESCE(g.amount, 0) <> 0 ORDER BY a.id LIMIT ${mostNamed}`;
  return rows.map(({ assetId, wallets, accounts }) => ({
    kind: "not_zero",
    assetId,
    wallets: BigInt(wallets),
    accounts: BigInt(accounts),
  }));
}

async function findBalances(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<
    { walletId: string; assetId: number; balance: string; entries: string }[]
  >`
    WITH sums AS (SELECT wallet_id, asset_id, sum(amount) AS amount FROM ledger_entry GROUP BY wallet_id, asset_id)
    SELECT b.wallet_id AS "walletId", b.asset_id AS "assetId", b.confirmed::text AS balance,
      COALESCE(s.amount, 0)::text AS entries
    FROM balance b LEFT JOIN sums s ON s.wallet_id = b.wallet_id AND s.asset_id = b.asset_id
    WHERE b.confirmed <> COALESCE(s.amount, 0) ORDER BY b.wallet_id, b.asset_id LIMIT ${mostNamed}`;
  return rows.map(({ balance, entries, ...key }) => ({
    kind: "balance",
    ...key,
    balance: BigInt(balance),
    entries: BigInt(entries),
  }));
}

/** Compares with the domain's own table of accounts, not with the database's copy of that table. */
async function findAccounts(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<
    { assetId: number; account: string; amount: string; entries: string }[]
  >`
    WITH named (kind, type, account) AS (VALUES ${accountRows()}), sums AS (
      SELECT e.asset_id, n.account, -sum(e.amount) AS amount
      FROM ledger_entry e LEFT JOIN transaction t ON t.id = e.transaction_id
        LEFT JOIN named n ON n.kind = e.kind AND n.type = COALESCE(t.type, '')
      GROUP BY e.asset_id, n.account
    )
    SELECT COALESCE(s.asset_id, a.asset_id) AS "assetId", COALESCE(s.account, a.account, 'none') AS account,
      COALESCE(a.amount, 0)::text AS amount, COALESCE(s.amount, 0)::text AS entries
    FROM sums s FULL JOIN ledger_account a ON a.asset_id = s.asset_id AND a.account = s.account
    WHERE s.amount IS DISTINCT FROM a.amount ORDER BY 1, 2 LIMIT ${mostNamed}`;
  return rows.map(({ amount, entries, ...key }) => ({
    kind: "account",
    ...key,
    amount: BigInt(amount),
    entries: BigInt(entries),
  }));
}

function accountRows(): Prisma.Sql {
  const rows = keysOf(entryKinds).flatMap((kind) =>
    [null, ...keysOf(transactionTypes)].map(
      (type) => Prisma.sql`(${kind}, ${type ?? ""}, ${accountOf(kind, type)})`,
    ),
  );
  return Prisma.join(rows);
}

/** The entries of an unread opening must add up to zero. */
async function findOpenings(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<Kept[]>`
    WITH sums AS (
      SELECT wallet_id, asset_id, sum(amount) AS amount FROM ledger_entry
      WHERE transaction_id IS NULL GROUP BY wallet_id, asset_id
    )
    SELECT b.wallet_id AS "walletId", b.asset_id AS "assetId", COALESCE(b.opening, 0)::text AS balance,
      COALESCE(s.amount, 0)::text AS expected
    FROM balance b LEFT JOIN sums s ON s.wallet_id = b.wallet_id AND s.asset_id = b.asset_id
    WHERE COALESCE(b.opening, 0) <> COALESCE(s.amount, 0) ORDER BY b.wallet_id, b.asset_id LIMIT ${mostNamed}`;
  return rows.map((row) => keptFinding("opening", row));
}

/** Adds up incoming transactions only: only they are shown as pending. */
async function findPending(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<Kept[]>`
    WITH sums AS (
      SELECT wallet_id, asset_id, sum(amount) AS amount FROM transaction
      WHERE status = 'pending' AND direction = 'in' AND NOT is_history GROUP BY wallet_id, asset_id
    )
    SELECT b.wallet_id AS "walletId", b.asset_id AS "assetId", b.pending::text AS balance,
      COALESCE(s.amount, 0)::text AS expected
    FROM balance b LEFT JOIN sums s ON s.wallet_id = b.wallet_id AND s.asset_id = b.asset_id
    WHERE b.pending <> COALESCE(s.amount, 0) ORDER BY b.wallet_id, b.asset_id LIMIT ${mostNamed}`;
  return rows.map((row) => keptFinding("pending", row));
}

type Kept = { walletId: string; assetId: number; balance: string; expected: string };

function keptFinding(kind: "opening" | "pending", row: Kept): LedgerFinding {
  const { balance, expected, ...key } = row;
  return { kind, ...key, balance: BigInt(balance), expected: BigInt(expected) };
}

/** Finds transactions with another wallet or asset than their sealed entries. */
async function findOtherOwners(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<{ transactionId: string }[]>`
    SELECT DISTINCT t.id AS "transactionId" FROM ledger_entry e JOIN transaction t ON t.id = e.transaction_id
    WHERE e.wallet_id <> t.wallet_id OR e.asset_id <> t.asset_id ORDER BY t.id LIMIT ${mostNamed}`;
  return rows.map((row) => ({ kind: "transaction_changed", ...row }));
}

/**
 * Finds transactions with the wrong weight. A transaction that counts weighs as much as it moved.
 * It may weigh nothing, by entries that cancel out, if its asset was not configured for a time (see
 * readWeights). A transaction that does not count weighs nothing. A transaction of a history has no
 * entry.
 */
async function findTransactions(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<{ transactionId: string; entries: string }[]>`
    WITH sums AS (
      SELECT transaction_id, sum(amount) AS weight, count(*) AS entries FROM ledger_entry
      WHERE transaction_id IS NOT NULL GROUP BY transaction_id
    )
    SELECT t.id AS "transactionId", COALESCE(s.weight, 0)::text AS entries
    FROM transaction t LEFT JOIN sums s ON s.transaction_id = t.id
    WHERE CASE
      WHEN t.is_history THEN s.entries IS NOT NULL
      WHEN t.status IN (${words(["completed"])}) THEN NOT (
        COALESCE(s.weight, 0) = CASE t.direction WHEN 'in' THEN t.amount ELSE -t.amount END
        OR (COALESCE(s.weight, 0) = 0 AND COALESCE(s.entries, 0) > 1))
      ELSE COALESCE(s.weight, 0) <> 0
    END ORDER BY t.id LIMIT ${mostNamed}`;
  return rows.map(({ transactionId, entries }) => ({
    kind: "transaction",
    transactionId,
    entries: BigInt(entries),
  }));
}
