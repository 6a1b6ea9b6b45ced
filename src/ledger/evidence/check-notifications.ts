import { derivedId, placeOf } from "../../domain/derived-id.ts";
import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { type AssetKind, isMeasured } from "../../domain/money/asset.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { findAmong } from "./find-among.ts";

/** One statement reads this many notifications. */
const batch = 5_000;

type Row = {
  id: string;
  round: number;
  state: string;
  event: string;
  body: string;
  transactionId: string;
  chainName: string;
  walletId: string;
  type: string;
  amount: string;
  decimals: number;
  assetKind: AssetKind;
  txHash: string;
  fromAddress: string;
  toAddress: string;
  idKey: string;
  sequence: bigint | null;
  createdAt: Date;
  memo: string | null;
  virtualAddress: string | null;
  /** The blocks of the transaction's entries. */
  blocks: readonly bigint[];
};

/**
 * Finds notifications whose id or body differs from their transaction. The body has the parties,
 * amount, memo, outcome, time, block, and place in the stream. An asset's code and a wallet's
 * reference may have changed since then, and are not compared.
 */
export function findChangedNotifications(db: Database): Promise<LedgerFinding[]> {
  return findAmong({
    batch,
    read: (after) => readRows(db, after),
    judge: (row) =>
      hasItsId(row) && saysItsTransaction(row)
        ? null
        : { kind: "notification", notificationId: row.id },
  });
}

/** Leaves out tests of webhooks, which are about no transaction. */
function readRows(db: Database, after: string | null): Promise<Row[]> {
  return statementsOf(db).$queryRaw<Row[]>`
    SELECT n.id, n.round, n.state, n.event, n.body, t.id AS "transactionId", t.chain_name AS "chainName",
      t.wallet_id AS "walletId", t.type, t.amount::text, a.decimals, a.kind AS "assetKind", t.tx_hash AS "txHash",
      t.from_address AS "fromAddress", t.to_address AS "toAddress", encode(i.id_key, 'hex') AS "idKey", n.sequence,
      n.created_at AS "createdAt", t.memo, t.virtual_address AS "virtualAddress",
      ARRAY(SELECT DISTINCT e.block_number FROM ledger_entry e WHERE e.transaction_id = t.id) AS blocks
    FROM notification n JOIN transaction t ON t.id = n.transaction_id JOIN asset a ON a.id = t.asset_id
      CROSS JOIN installation i
    WHERE ${after}::uuid IS NULL OR n.id > ${after}::uuid ORDER BY n.id LIMIT ${batch}`;
}

/**
 * True if the id follows from the transaction. Ids of releases before 0.2 are random, and count as
 * right.
 */
function hasItsId({ id, idKey, transactionId, round, state }: Row): boolean {
  if (id[14] !== "8") return true;
  return id === derivedId(placeOf(id), idKey, ["notification", transactionId, round, state]);
}

function saysItsTransaction(row: Row): boolean {
  const said = textsIn(row.body);
  const expected = {
    id: row.id,
    event: row.event,
    transactionId: row.transactionId,
    txHash: row.txHash,
    blockchain: row.chainName,
    fromAddress: row.fromAddress,
    toAddress: row.toAddress,
    walletId: row.walletId,
    type: row.type,
    status: row.state,
    ...(row.sequence === null ? {} : { sequence: String(row.sequence), ...saidSince(row) }),
    // The amount of a measured transfer is not compared, since another block may bring another one.
    ...(isMeasured(row.assetKind) ? {} : { amount: toDecimal(BigInt(row.amount), row.decimals) }),
  };
  return (
    Object.entries(expected).every(([name, value]) => said.get(name) === value?.toLowerCase()) &&
    (row.sequence === null || isOfEnteredBlock(row, said))
  );
}

/**
 * Texts that bodies have had since streams are numbered. Undefined: the body must not have the
 * text.
 */
function saidSince({ createdAt, memo, virtualAddress }: Row): Record<string, string | undefined> {
  return {
    timestamp: createdAt.toISOString(),
    memo: memo ?? undefined,
    virtualAddress: virtualAddress ?? undefined,
  };
}

/** True if a confirmed transaction has an entry of the block that the body names. */
function isOfEnteredBlock({ state, blocks }: Row, said: ReadonlyMap<string, string>): boolean {
  return state !== "confirmed" || blocks.some((one) => said.get("blockNumber") === String(one));
}

/** The texts of a body and of its `data`, in lower case. Empty if it is no valid body. */
function textsIn(body: string): ReadonlyMap<string, string> {
  try {
    const { data, ...rest } = JSON.parse(body);
    const entries = Object.entries({ ...data, ...rest });
    return new Map(entries.map(([name, value]) => [name, String(value).toLowerCase()]));
  } catch {
    return new Map();
  }
}
