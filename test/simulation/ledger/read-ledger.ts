import type { World } from "../world.ts";
import { chainName } from "../world.ts";

export type TransactionRow = {
  id: string;
  walletId: string;
  address: string;
  asset: string;
  type: string;
  direction: "in" | "out";
  amount: string;
  status: "pending" | "completed" | "dropped" | "reversed";
  orphaned: boolean;
  unproven: boolean;
  round: number;
  txHash: string;
  from: string;
  to: string;
  blockNumber: string;
  blockHash: string;
  ordinal: number;
  logIndex: number | null;
  tracePath: string | null;
  isWatched: boolean;
  /** What its entries add up to in the confirmed balance. */
  weight: string;
};

export type HoldingRow = {
  walletId: string;
  address: string;
  asset: string;
  /** Both the wallet and the asset are watched now. */
  isWatched: boolean;
  confirmed: string;
  pending: string;
  /** Null where it is not read yet, also where it is still the one of before the asset came back. */
  opening: string | null;
  entries: string;
  /** Above which height it is watched, as the ledger says. */
  since: string | null;
};

type ChainRow = {
  positionNumber: string | null;
  positionHash: string | null;
  confirmedNumber: string | null;
  settleNumber: string | null;
};

export type Snapshot = {
  chain: ChainRow;
  blocks: { number: string; hash: string; parentHash: string }[];
  transactions: TransactionRow[];
  holdings: HoldingRow[];
};

/** The whole ledger of the chain, as it is between two transactions. */
export async function readLedger(world: World): Promise<Snapshot> {
  const { sql } = world;
  const [chain] = await sql<ChainRow>(
    `SELECT position_number AS "positionNumber", position_hash AS "positionHash",
       confirmed_number AS "confirmedNumber", settle_number AS "settleNumber" FROM chain WHERE name = $1`,
    [chainName],
  );
  if (chain === undefined) throw new Error("the chain is not in the ledger");
  const blocks = await sql<Snapshot["blocks"][number]>(
    `SELECT number, hash, parent_hash AS "parentHash" FROM block ORDER BY number`,
  );
  const transactions = await sql<TransactionRow>(
    `SELECT t.id, t.wallet_id AS "walletId", w.address, a.address AS asset, t.type, t.direction, t.amount::text,
       t.status, t.orphaned, t.unproven, t.round, t.tx_hash AS "txHash", t.from_address AS "from", t.to_address AS "to",
       t.block_number AS "blockNumber", t.block_hash AS "blockHash", t.ordinal, t.log_index AS "logIndex",
       t.trace_path AS "tracePath", w.removed_at IS NULL AND a.configured AS "isWatched",
       (SELECT COALESCE(sum(e.amount), 0)::text FROM ledger_entry e WHERE e.transaction_id = t.id) AS weight
     FROM transaction t JOIN wallet w ON w.id = t.wallet_id JOIN asset a ON a.id = t.asset_id
     ORDER BY t.block_number, t.ordinal`,
  );
  const holdings = await sql<HoldingRow>(
    `SELECT b.wallet_id AS "walletId", w.address, a.address AS asset, w.removed_at IS NULL AND a.configured AS "isWatched",
       b.confirmed::text, b.pending::text,
       CASE WHEN a.opening_after IS NULL OR w.address <= a.opening_after OR since.version >= begun.version
         THEN b.opening::text END AS opening,
       (SELECT COALESCE(sum(e.amount), 0)::text FROM ledger_entry e
        WHERE e.wallet_id = b.wallet_id AND e.asset_id = b.asset_id) AS entries,
       GREATEST(added.position_number, begun.position_number) AS since
     FROM balance b JOIN wallet w ON w.id = b.wallet_id JOIN asset a ON a.id = b.asset_id
       JOIN watch_change added ON added.id = w.added_change_id
       JOIN watch_change begun ON begun.id = a.watch_change_id
       JOIN watch_change since ON since.id = b.since_change_id
     ORDER BY w.address, a.address, b.wallet_id`,
  );
  return { chain, blocks, transactions, holdings };
}
