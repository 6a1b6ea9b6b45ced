import { derivedId, placeOf } from "../../domain/derived-id.ts";
import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { type AssetKind, isMeasured } from "../../domain/money/asset.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** Notifications that one statement reads. */
const batch = 5_000;

/** Findings that are named, at most. */
const mostNamed = 100;

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
  /** The blocks of the entries of its transaction. */
  blocks: readonly bigint[];
};

/**
 * Finds notifications whose id or body says something else than their transaction: who, to whom,
 * how much, with what memo, and what came of it. Time, block and place in the stream must be right,
 * too. The code of an asset and the reference of a wallet may have another name by now, and are not
 * compared.
 */
export async function findChangedNotifications(db: Database): Promise<LedgerFinding[]> {
  const found: LedgerFinding[] = [];
  let after: string | null = null;
  do {
    const rows = await readRows(db, after);
    for (const row of rows)
      if (!hasItsId(row) || !saysItsTransaction(row))
        found.push({ kind: "notification", notificationId: row.id });
    after = rows.length < batch ? null : (rows.at(-1)?.id ?? null);
  } while (after !== null && found.length < mostNamed);
  return found;
}

/** A test of a webhook is about no transaction. */
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

/** An id of a release before 0.2 is random. */
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
    // A transfer that is measured may bring another amount in another block.
    ...(isMeasured(row.assetKind) ? {} : { amount: toDecimal(BigInt(row.amount), row.decimals) }),
  };
  return (
    Object.entries(expected).every(([name, value]) => said.get(name) === value?.toLowerCase()) &&
    (row.sequence === null || isOfEnteredBlock(row, said))
  );
}

/** The further texts of a body, since streams are numbered. Undefined: the body has none. */
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

/** The texts of a body and of its data, in lower case. None where it is no body at all. */
function textsIn(body: string): ReadonlyMap<string, string> {
  try {
    const { data, ...rest } = JSON.parse(body);
    const entries = Object.entries({ ...data, ...rest });
    return new Map(entries.map(([name, value]) => [name, String(value).toLowerCase()]));
  } catch {
    return new Map();
  }
}
