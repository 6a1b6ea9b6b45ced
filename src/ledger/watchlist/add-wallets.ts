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
import { fillSince, findWatchedBefore, takeOver } from "./watched-before.ts";

type WalletRow = NewWallet & { id: string };

/** Conflicts named in one fault; more would not help anybody. */
const maxNamedConflicts = 1_000;

/** Rows of one statement: its JSON and its answer take some ms of the process. */
const chunkRows = 1_000;

/**
 * Adds the wallets, all or none: each is watched from the next block processed, with a balance to
 * be opened for every configured asset of its chain (docs/invariants.md#i4, #i9). A leaving wallet
 * of such an address ends there. Answers them in the order given. No two of them may have the same
 * chain and address. Any number of calls may run at once.
 * @throws Fault `business_not_found`, `unknown_blockchain`, `invalid_address` of a virtual one;
 *   `wallet_exists`, where `facts.conflicts` names the owners for the administrator alone
 */
export async function addWallets(
  tx: Tx,
  addition: {
    businessId: string;
    wallets: readonly NewWallet[];
    /** Called after each statement with how many are written; nothing is there before the end. */
    onProgress?: (written: number) => void;
    /** Leaving wallets that end where the address is added: of anybody, or of this business. */
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
  const createdAt = await insertWallets(tx, {
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
    if (isReplaying) await beginWithTheLater(tx, changeId);
  }
  const since = await fillSince(tx, before);
  // In one go: each block's commit waits for the rows that are locked by now.
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
 * A virtual address holds nothing: what it is paid is its master wallet's, and is recorded once,
 * for that.
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
  /** The business whose leaving wallets are taken over; null: any. */
  ofBusiness: string | null;
  /** The change of the watch list that each chain's wallets are part of. */
  changeIds: ReadonlyMap<string, string>;
  rows: WalletRow[];
  onProgress: (written: number) => void;
};

/**
 * Sorted by address, so that two calls with the same addresses wait for each other in the same
 * order.
 */
async function insertWallets(tx: Tx, insertion: Insertion): Promise<Date> {
  const { businessId, ofBusiness, changeIds, rows, onProgress } = insertion;
  const sorted = [...rows].sort((a, b) => (a.address < b.address ? -1 : 1));
  const added = new Set<string>();
  let createdAt = new Date();
  for (let first = 0; first < sorted.length; first += chunkRows) {
    const chunk = sorted
      .slice(first, first + chunkRows)
      .map((row) => ({ ...row, changeId: changeIds.get(row.chainName) ?? "" }));
    await takeOver(tx, chunk, ofBusiness);
    const inserted = await insertChunk(tx, businessId, chunk);
    for (const row of inserted) added.add(row.id);
    createdAt = inserted[0]?.created_at ?? createdAt;
    onProgress(Math.min(first + chunkRows, sorted.length));
  }
  if (added.size === rows.length) return createdAt;
  throw await walletExists(
    tx,
    rows.filter((row) => !added.has(row.id)),
  );
}

async function insertChunk(
  tx: Tx,
  businessId: string,
  rows: (WalletRow & { changeId: string })[],
): Promise<{ id: string; created_at: Date }[]> {
  // The block that a wallet's history begins with lies in a table of its own.
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
