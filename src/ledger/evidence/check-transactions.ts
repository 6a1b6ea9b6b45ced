import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { derivedId, placeOf } from "../../domain/derived-id.ts";
import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import { type AssetKind, isMeasured } from "../../domain/money/asset.ts";
import { type AssetAddress, type Movement, noTransaction } from "../../domain/money/movement.ts";
import type { Direction, TransactionType } from "../../domain/money/transaction.ts";
import { transactionIdentity } from "../../domain/money/transaction-identity.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { onChainStatuses } from "../transactions/transaction-words.ts";
import { findAmong } from "./find-among.ts";

/** One statement reads this many transactions. */
const batch = 5_000;

/** At most this many equal movements of one transaction are tried. */
const mostEqual = 1_000;

type Row = {
  id: string;
  identity: string;
  chainName: string;
  walletId: string;
  walletAddress: Address;
  assetAddress: AssetAddress;
  assetKind: AssetKind;
  type: TransactionType;
  direction: Direction;
  amount: string;
  txHash: Hash;
  fromAddress: Address;
  toAddress: Address;
  blockHash: Hash;
  genesisHash: Hash | null;
  /**
   * True if the transaction is from before its chain was reset. Its id then has another genesis.
   */
  isOfOldChain: boolean;
  idKey: string;
};

/**
 * Finds transactions whose wallet, parties, amount or hash was changed. Their identity no longer
 * follows from these, or their id no longer follows from their identity. Sealed entries hold the
 * id.
 */
export function findChangedTransactions(db: Database): Promise<LedgerFinding[]> {
  return findAmong({
    batch,
    read: (after) => readRows(db, after),
    judge: (row) =>
      isAsWritten(row) ? null : { kind: "transaction_changed", transactionId: row.id },
  });
}

/** Leaves out corrections, which are no movement. Their entries are sealed. */
function readRows(db: Database, after: string | null): Promise<Row[]> {
  return statementsOf(db).$queryRaw<Row[]>`
    SELECT t.id, encode(t.identity, 'hex') AS identity, t.chain_name AS "chainName", t.wallet_id AS "walletId", w.address AS "walletAddress",
      a.address AS "assetAddress", a.kind AS "assetKind", t.type, t.direction, t.amount::text,
      t.tx_hash AS "txHash", t.from_address AS "fromAddress", t.to_address AS "toAddress",
      t.block_hash AS "blockHash", c.genesis_hash AS "genesisHash", encode(i.id_key, 'hex') AS "idKey",
      t.round > 0 OR t.status NOT IN (${onChainStatuses}) OR COALESCE(t.created_at <= (SELECT max(e.at)
        FROM audit_entry e WHERE e.action = 'chain.reset' AND e.subject = t.chain_name), false) AS "isOfOldChain"
    FROM transaction t JOIN wallet w ON w.id = t.wallet_id JOIN asset a ON a.id = t.asset_id
      JOIN chain c ON c.name = t.chain_name CROSS JOIN installation i
    WHERE (${after}::uuid IS NULL OR t.id > ${after}::uuid) AND t.since_number IS NULL
    ORDER BY t.id LIMIT ${batch}`;
}

function isAsWritten(row: Row): boolean {
  const party = row.direction === "in" ? row.toAddress : row.fromAddress;
  return party === row.walletAddress && hasItsIdentity(row) && hasItsId(row);
}

/**
 * True if the id follows from the identity. Ids of releases before 0.2 are random, and count as
 * right.
 */
function hasItsId({ id, identity, genesisHash, idKey, isOfOldChain }: Row): boolean {
  if (id[14] !== "8" || isOfOldChain) return true;
  return id === derivedId(placeOf(id), idKey, ["transaction", genesisHash, identity]);
}

function hasItsIdentity(row: Row): boolean {
  const { type, assetKind, txHash } = row;
  // These cannot be checked. The logged amount of a measured transfer is not stored, nor is the
  // index of a beacon withdrawal.
  if (type !== "fee" && type !== "income" && isMeasured(assetKind)) return true;
  if (type === "income" && txHash === noTransaction) return true;
  return candidatesOf(row).some((movement) => follows(row, movement));
}

/**
 * True if the identity follows from the movement. The number among equal movements of one
 * transaction is not stored, so each number is tried.
 */
function follows(row: Row, movement: Movement): boolean {
  const { chainName, walletId, direction, identity, type } = row;
  const most = type === "fee" || type === "income" ? 1 : mostEqual;
  for (let n = 0; n < most; n += 1)
    if (transactionIdentity({ chainName, walletId, direction, movement, n }) === identity)
      return true;
  return false;
}

function candidatesOf(row: Row): Movement[] {
  const moved = {
    asset: row.assetAddress,
    txHash: row.txHash,
    from: row.fromAddress,
    to: row.toAddress,
    amountAtomic: BigInt(row.amount),
    logIndex: null,
    tracePath: null,
  };
  if (row.type === "fee") return [{ ...moved, kind: "fee" }];
  if (row.type === "income") return [{ ...moved, kind: "income", source: { kind: "mint" } }];
  return [
    { ...moved, kind: "transfer" },
    { ...moved, kind: "wrap" },
  ];
}
