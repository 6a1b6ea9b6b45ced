import { isVirtualAddress } from "../../domain/chain/address.ts";
import { toChecksum } from "../../domain/chain/checksum.ts";
import { profileOf } from "../../domain/chain/profiles/known-profiles.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import type { NewWallet, Wallet } from "../../domain/watch/wallet.ts";
import { WalletExists } from "../../domain/watch/wallet-conflict.ts";
import { requireBusiness } from "../businesses/businesses.ts";
import type { Tx } from "../postgres/transaction.ts";
import { readCurrencies } from "./read-wallets.ts";
import { insertHistories, requireReached } from "./request-history.ts";
import { beginWatchChange, beginWithTheLater, endWatchChange, holdAssets } from "./watch-change.ts";
import { fillSince, findWatchedBefore, isAnyReplayed, takeOver } from "./watched-before.ts";

type WalletRow = NewWallet & { id: string };

/** One fault names at most this many conflicts. */
const maxNamedConflicts = 1_000;

/** The most rows of one statement. Their JSON and the answer take the process some ms. */
const chunkRows = 1_000;

/**
 * Adds wallets, all or none. Each is watched from the next block on. A balance in each configured
 * asset of its chain is to be opened (docs/invariants.md#i4, #i9). A leaving wallet with the same
 * address ends there. Answers the wallets in the given order. No two may have the same chain and
 * address. Any number of calls may run at once.
 * @throws Fault `business_not_found`, `unknown_blockchain`; `invalid_address` for a virtual one.
 *   `state_unavailable` if another wallet has the address in blocks that its chain reads again.
 *   `wallet_exists`; its `facts.conflicts` names the owners, for the administrator alone
 */
export async function addWallets(
  tx: Tx,
  addition: {
    businessId: string;
    wallets: readonly NewWallet[];
    /**
     * Called after each statement with the number written so far. Nothing is visible before the
     * commit.
     */
    onProgress?: (written: number) => void;
    /** The leaving wallets with the same address that end: anybody's, or this business's own. */
    takesOver?: "anybody's" | "own";
  },
): Promise<Wallet[]> {
  const { businessId, wallets, onProgress = () => {}, takesOver = "anybody's" } = addition;
  const nowMs = Date.now();
  const rows = wallets.map((wallet, index): WalletRow => ({ ...wallet, id: idAt(nowMs, index) }));
  await requireBusiness(tx, businessId);
  const chainNames = [...new Set(wallets.map((wallet) => wallet.chainName))].sort();
  refuseVirtual(await requireChains(tx, chainNames), wallets);
  const changeIds = new Map<string, string>();
  for (const name of chainNames) {
    await holdAssets(tx, name, "wallet_adder");
    changeIds.set(name, await beginWatchChange(tx, name));
  }
  const ofBusiness = takesOver === "own" ? businessId : null;
  const { createdAt, takenOver } = await insertWallets(tx, {
    businessId,
    ofBusiness,
    changeIds,
    rows,
    onProgress,
  });
  await insertBalances(tx, [...changeIds.values()]);
  const histories = rows.flatMap(({ id: walletId, chainName, fromBlock: fromNumber }) =>
    fromNumber === null ? [] : [{ walletId, chainName, fromNumber }],
  );
  await requireReached(tx, histories);
  await insertHistories(tx, histories);
  const before = await findWatchedBefore(tx, [...changeIds.values()]);
  const currencies = await readCurrencies(tx);
  for (const [name, changeId] of changeIds) {
    const { isReplaying } = await endWatchChange(tx, name, changeId);
    if (isReplaying && (takenOver.has(name) || (await isAnyReplayed(tx, changeId))))
      throw isReplayed(name);
    if (isReplaying) await beginWithTheLater(tx, changeId);
  }
  const since = await fillSince(tx, before);
  // Nothing is awaited from here on, because each block's commit waits for the locked rows.
  return rows.map((row): Wallet => {
    const codes = currencies.get(row.chainName) ?? [];
    const fromBlock = row.fromBlock ?? since.get(row.id) ?? null;
    const history = fromBlock === null ? null : ("filling" as const);
    const status = "syncing" as const;
    return { ...row, businessId, currencies: codes, status, fromBlock, history, createdAt };
  });
}

type ChainRow = { name: string; evmChainId: bigint };

async function requireChains(tx: Tx, names: string[]): Promise<ChainRow[]> {
  const chains = await tx.chain.findMany({ select: { name: true, evmChainId: true } });
  const known = chains.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return chains;
  throw new Fault(
    "unknown_blockchain",
    `There is no blockchain '${unknown.join("', '")}'; there is ${known.sort().join(", ") || "none"}.`,
    { facts: { field: "blockchain" } },
  );
}

/**
 * Refuses virtual addresses. A virtual address holds nothing: payments to it go to its master
 * wallet, and are recorded there once.
 */
function refuseVirtual(chains: readonly ChainRow[], wallets: readonly NewWallet[]): void {
  const forwarding = new Set(
    chains
      .filter(({ evmChainId }) => hasVirtualAddresses(Number(evmChainId)))
      .map((row) => row.name),
  );
  const refused = wallets.find(
    ({ chainName, address }) => forwarding.has(chainName) && isVirtualAddress(address),
  );
  if (refused === undefined) return;
  throw new Fault(
    "invalid_address",
    `${toChecksum(refused.address)} is a virtual address, which holds nothing: add the master wallet that it forwards to. Its transactions name the virtual address.`,
    { facts: { field: "address" } },
  );
}

function hasVirtualAddresses(chainId: number): boolean {
  return profileOf(chainId).family === "Tempo";
}

type Insertion = {
  businessId: string;
  /** The business whose leaving wallets end; null: those of any business. */
  ofBusiness: string | null;
  /** The change of the watchlist to which each chain's wallets belong. */
  changeIds: ReadonlyMap<string, string>;
  rows: WalletRow[];
  onProgress: (written: number) => void;
};

/**
 * Inserts rows in the order of their addresses, so that two calls with the same addresses do not
 * deadlock.
 * @returns `takenOver`: the chains on which a leaving wallet ends by this
 */
async function insertWallets(
  tx: Tx,
  insertion: Insertion,
): Promise<{ createdAt: Date; takenOver: ReadonlySet<string> }> {
  const { businessId, ofBusiness, changeIds, rows, onProgress } = insertion;
  const sorted = [...rows].sort((a, b) => (a.address < b.address ? -1 : 1));
  const added = new Set<string>();
  const takenOver = new Set<string>();
  let createdAt = new Date();
  for (let first = 0; first < sorted.length; first += chunkRows) {
    const chunk = sorted
      .slice(first, first + chunkRows)
      .map((row) => ({ ...row, changeId: changeIds.get(row.chainName) ?? "" }));
    for (const name of await takeOver(tx, chunk, ofBusiness)) takenOver.add(name);
    const inserted = await insertChunk(tx, businessId, chunk);
    for (const row of inserted) added.add(row.id);
    createdAt = inserted[0]?.created_at ?? createdAt;
    onProgress(Math.min(first + chunkRows, sorted.length));
  }
  if (added.size === rows.length) return { createdAt, takenOver };
  throw await walletExists(
    tx,
    rows.filter((row) => !added.has(row.id)),
  );
}

/**
 * While a reorg is replayed, blocks are searched for the new wallet only. The wallet before it has
 * deposits in those blocks: they would belong to both wallets, or to none.
 */
function isReplayed(chainName: string): Fault {
  return new Fault(
    "state_unavailable",
    `Chain '${chainName}' reads blocks again, in which the address was another wallet's. Add it once the chain has caught up.`,
  );
}

async function insertChunk(
  tx: Tx,
  businessId: string,
  rows: (WalletRow & { changeId: string })[],
): Promise<{ id: string; created_at: Date }[]> {
  // The first block of a wallet's history is in a table of its own.
  const columns = rows.map(({ id, chainName, address, purpose, label, reference, changeId }) => {
    return { id, chainName, address, purpose, label, reference, changeId };
  });
  return tx.$queryRaw`
    INSERT INTO wallet (id, business_id, chain_name, address, purpose, label, reference, added_change_id)
    SELECT id, ${businessId}::uuid, "chainName", address, purpose, label, reference, "changeId"
    FROM jsonb_to_recordset(${JSON.stringify(columns)}::jsonb) AS r(
      id uuid, "chainName" text, address text, purpose text, label text, reference text, "changeId" uuid)
    ON CONFLICT (chain_name, address) WHERE removed_at IS NULL DO NOTHING
    RETURNING id, created_at`;
}

async function walletExists(tx: Tx, refused: WalletRow[]): Promise<WalletExists> {
  const named = refused.slice(0, maxNamedConflicts);
  const conflicts = await tx.$queryRaw<WalletExists["conflicts"][number][]>`
    SELECT w.chain_name AS blockchain, w.address, w.id AS "walletId", b.id AS "businessId", b.name AS "businessName"
    FROM unnest(${named.map(({ chainName }) => chainName)}::text[], ${named.map(({ address }) => address)}::text[])
        AS r(chain_name, address)
      JOIN wallet w ON w.chain_name = r.chain_name AND w.address = r.address AND w.removed_at IS NULL
      JOIN business b ON b.id = w.business_id
    ORDER BY w.id`;
  return new WalletExists(refused.length, conflicts);
}

async function insertBalances(tx: Tx, changeIds: string[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO balance (wallet_id, asset_id, since_change_id)
    SELECT w.id, a.id, w.added_change_id
    FROM wallet w JOIN asset a ON a.chain_name = w.chain_name AND a.configured
    WHERE w.added_change_id = ANY(${changeIds}::uuid[])`;
}
