import type { Address } from "../../domain/chain/address.ts";
import { nilId } from "../../domain/id.ts";
import type { AssetKind } from "../../domain/money/asset.ts";
import type { AssetAddress } from "../../domain/money/movement.ts";
import type { WalletPurpose } from "../../domain/money/transaction.ts";
import { chainNotFound } from "../../domain/not-found.ts";
import { createWalletTable } from "../../domain/watch/wallet-table.ts";
import type {
  WatchDifference,
  WatchedAsset,
  WatchedWallet,
  Watchlist,
  WatchMark,
} from "../../domain/watch/watchlist.ts";
import { lastChangeId } from "../chain/chain-state.ts";
import type { Database } from "../postgres/database.ts";
import type { Statements } from "../postgres/statements.ts";
import { inSnapshot } from "../postgres/transaction.ts";

/** Wallets in one read of the whole list: about 10 MB of rows. */
const pageSize = 50_000;

/** Stands for the position of a chain that has not started. No block of it is matched. */
const notStarted = -1n;

/** Everything watched on a chain, at one version. */
export async function readWatchlist(db: Database, chainName: string): Promise<Watchlist> {
  return inSnapshot(db, async (tx) => {
    const mark = await readMark(tx, chainName);
    const list: Watchlist = { ...mark, wallets: createWalletTable(), assets: new Map() };
    for (const asset of await readAssets(tx, chainName)) list.assets.set(asset.address, asset);
    for (let after = nilId; ; ) {
      const rows = await tx.$queryRaw<WalletRow[]>`
        SELECT w.id, w.business_id, w.address, w.purpose, c.position_number
        FROM wallet w JOIN watch_change c ON c.id = w.added_change_id
        WHERE w.chain_name = ${chainName} AND w.removed_at IS NULL AND w.id > ${after}::uuid
        ORDER BY w.id LIMIT ${pageSize}`;
      for (const row of rows) list.wallets.set(row.address as Address, toWallet(row));
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageSize) return list;
      after = last.id;
    }
  });
}

/**
 * Reads the changes on a chain above a mark. Call it with the chain's row locked, or in a snapshot,
 * so that the difference fits its version. Null: the ledger does not have the mark's change. It
 * went back in time, by a failover or a restore, and the list has to be read anew.
 */
export async function readDifference(
  tx: Statements,
  chainName: string,
  { version: above, changeId }: WatchMark,
): Promise<WatchDifference | null> {
  if (changeId !== null && !(await hasChange(tx, changeId))) return null;
  const mark = await readMark(tx, chainName);
  const added = await tx.$queryRaw<WalletRow[]>`
    SELECT w.id, w.business_id, w.address, w.purpose, c.position_number
    FROM watch_change c JOIN wallet w ON w.added_change_id = c.id
    WHERE c.chain_name = ${chainName} AND c.version > ${above} AND w.removed_at IS NULL`;
  const removed = await tx.$queryRaw<{ id: string; address: string }[]>`
    SELECT w.id, w.address
    FROM watch_change c JOIN wallet w ON w.removed_change_id = c.id
    WHERE c.chain_name = ${chainName} AND c.version > ${above}`;
  return {
    ...mark,
    added: added.map(toWallet),
    removed: removed.map(({ id, address }) => ({ id, address: address as Address })),
    assets: await readAssets(tx, chainName),
  };
}

type WalletRow = {
  id: string;
  business_id: string;
  address: string;
  purpose: string;
  position_number: bigint | null;
};

function toWallet(row: WalletRow): WatchedWallet {
  return {
    id: row.id,
    businessId: row.business_id,
    address: row.address as Address,
    purpose: row.purpose as WalletPurpose,
    since: row.position_number ?? notStarted,
  };
}

async function hasChange(tx: Statements, changeId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM watch_change WHERE id = ${changeId}::uuid`;
  return rows.length > 0;
}

async function readMark(tx: Statements, chainName: string): Promise<WatchMark> {
  const [mark] = await tx.$queryRaw<WatchMark[]>`
    SELECT watch_version AS version, ${lastChangeId} AS "changeId" FROM chain WHERE name = ${chainName}`;
  if (mark === undefined) throw chainNotFound(chainName);
  return mark;
}

async function readAssets(tx: Statements, chainName: string): Promise<WatchedAsset[]> {
  const rows = await tx.$queryRaw<
    { id: number; address: string; kind: string; since: bigint | null }[]
  >`
    SELECT a.id, a.address, a.kind, c.position_number AS since
    FROM asset a JOIN watch_change c ON c.id = a.watch_change_id
    WHERE a.chain_name = ${chainName} AND a.configured`;
  return rows.map((row) => ({
    id: row.id,
    address: row.address as AssetAddress,
    kind: row.kind as AssetKind,
    since: row.since ?? notStarted,
  }));
}
