import type { Address } from "../../domain/chain/address.ts";
import type { OpeningProgress } from "../../domain/chain/chain-status.ts";
import type { BalanceKey } from "../../domain/money/balance.ts";
import type { OpeningAsset, ReadOpening } from "../../domain/watch/opening.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";

// An asset that begins to be watched is matched for all wallets of its chain from one position on.
// Its balances are made in batches, in the order of the wallets' addresses. `asset.opening_after`
// is the last address that has its balance. A commit that moves a missing balance makes it first.
// See docs/decisions/0117-balances-follow-the-asset.md.

/**
 * Condition on a balance `b` of a wallet `w` and an asset `a`. The balance was made after the asset
 * was last added to the configuration. An older balance is stale, and has to be taken back.
 */
const isOfNow = Prisma.sql`(b.since_change_id = a.watch_change_id OR EXISTS (
    SELECT 1 FROM watch_change since, watch_change added, watch_change configured
    WHERE since.id = b.since_change_id AND added.id = w.added_change_id AND configured.id = a.watch_change_id
      AND (added.version > configured.version OR since.position_number > configured.position_number)
  ))`;

/** Condition on a balance `b` of a wallet `w` and an asset `a`: the balance is not stale. */
export const isKnown = Prisma.sql`(
    a.opening_after IS NULL OR w.address <= a.opening_after OR ${isOfNow}
  )`;

/** Condition on a wallet `w`: its balance of some watched asset is not made yet. */
export const lacksBalance = Prisma.sql`(
    w.chain_name IN (SELECT chain_name FROM asset WHERE configured AND opening_after IS NOT NULL) AND EXISTS (
      SELECT 1 FROM asset a
      WHERE a.chain_name = w.chain_name AND a.configured AND a.opening_after < w.address AND NOT EXISTS (
        SELECT 1 FROM balance b WHERE b.wallet_id = w.id AND b.asset_id = a.id AND ${isOfNow})
    )
  )`;

/**
 * Begins to open an asset's balances for every live wallet of its chain. The asset must have its
 * watch change already. The caller ends that change afterwards.
 */
export async function beginOpening(tx: Statements, assetId: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE asset a SET opening_after = CASE WHEN live.count > 0 THEN '' END, opening_wallets = live.count,
      opened_wallets = 0
    FROM (
      SELECT count(*)::int AS count FROM wallet w
      WHERE w.removed_at IS NULL AND w.chain_name = (SELECT chain_name FROM asset WHERE id = ${assetId})
    ) live
    WHERE a.id = ${assetId}`;
}

/** Makes all balances of an asset at once. The caller's transaction holds the chain's lock. */
export async function makeAllBalances(tx: TxStatements, assetId: number): Promise<void> {
  for (;;) {
    const [asset] = await tx.$queryRaw<OpeningAsset[]>`
      SELECT id, code, chain_name AS "chainName", watch_change_id AS "changeId", opening_after AS after
      FROM asset WHERE id = ${assetId} AND opening_after IS NOT NULL`;
    if (asset === undefined) return;
    await makeBatch(tx, await readBatch(tx, asset, 5_000));
  }
}

type BatchWallet = { walletId: string; walletAddress: Address };

/** `after`: the last of these addresses, after which the next batch begins. Null: none follows. */
type Batch<Wallet> = { asset: OpeningAsset; due: Wallet[]; after: string | null };

/**
 * A wallet that is added after this query gets its balances when it is added. So the query needs no
 * lock.
 */
export async function readBatch(
  statements: Statements,
  asset: OpeningAsset,
  limit: number,
): Promise<Batch<BatchWallet>> {
  const due = await statements.$queryRaw<BatchWallet[]>`
    SELECT id AS "walletId", address AS "walletAddress" FROM wallet
    WHERE chain_name = ${asset.chainName} AND removed_at IS NULL AND address > ${asset.after}
    ORDER BY address LIMIT ${limit}`;
  const after = due.length < limit ? null : (due.at(-1)?.walletAddress ?? null);
  return { asset, due, after };
}

/**
 * Makes a batch, and opens those of its balances that were read (see openBalances). Answers the
 * asset's progress, and what was opened. Null: another process has made the batch, or the
 * configuration has changed.
 */
export async function makeBatch(
  tx: TxStatements,
  { asset, due, after }: Batch<Pick<BatchWallet, "walletId">>,
  read: readonly ReadOpening[] = [],
): Promise<{ progress: OpeningProgress; opened: BalanceKey[] } | null> {
  // Every transaction that moves the chain's balances holds this lock.
  await tx.$lockRaw`SELECT 1 FROM chain WHERE name = ${asset.chainName} FOR NO KEY UPDATE`;
  const [progress] = await tx.$queryRaw<OpeningProgress[]>`
    UPDATE asset SET opening_after = ${after},
      opened_wallets = CASE WHEN ${after}::text IS NULL THEN opening_wallets
        ELSE LEAST(opening_wallets, opened_wallets + ${due.length}) END
    WHERE id = ${asset.id} AND opening_after = ${asset.after} AND watch_change_id = ${asset.changeId}::uuid
    RETURNING code AS "assetCode", opening_wallets AS wallets, opened_wallets AS opened`;
  if (progress === undefined) return null;
  const walletIds = due.map(({ walletId }) => walletId);
  return { progress, opened: await openBalances(tx, asset.id, walletIds, read) };
}

/**
 * Makes the missing balances of wallets in an asset, to be opened. Entries take a stale balance
 * back to zero, and it is opened anew. The new opening includes transactions that were confirmed
 * before, so they weigh nothing beside it (see readWeights). The balance of an ended wallet stays:
 * its opening is never read again. The caller holds the chain's lock.
 *
 * `read` has openings at the block where the asset began to be watched. Each is recorded at once,
 * on three conditions. Its block is still the stored one. The wallet was added before it, and is
 * live. The ledger has no transaction of that balance. Every other balance is opened later: see
 * recordOpenings.
 * @returns the balances that were opened
 */
export async function openBalances(
  tx: TxStatements,
  assetId: number,
  walletIds: readonly string[],
  read: readonly ReadOpening[] = [],
): Promise<BalanceKey[]> {
  const lacking = await tx.$queryRaw<{ id: string; isStale: boolean }[]>`
    SELECT w.id, b.wallet_id IS NOT NULL AS "isStale"
    FROM asset a JOIN wallet w ON w.id = ANY(${[...walletIds]}::uuid[])
      LEFT JOIN balance b ON b.wallet_id = w.id AND b.asset_id = a.id
    WHERE a.id = ${assetId} AND (b.wallet_id IS NULL OR (NOT b.ended AND NOT ${isOfNow}))`;
  if (lacking.length === 0) return [];
  const stale = lacking.filter(({ isStale }) => isStale).map(({ id }) => id);
  if (stale.length > 0) await takeBack(tx, assetId, stale);
  const ids = lacking.map(({ id }) => id);
  const opened = await insertBalances(tx, { assetId, ids, read });
  // Reads each wallet's history again from its beginning, to find the asset's earlier transactions.
  // Known transactions stay.
  tx.$sendRaw`
    UPDATE history h SET next_number = h.from_number, verdict = NULL
    FROM wallet w WHERE w.id = h.wallet_id AND w.removed_at IS NULL AND h.wallet_id = ANY(${ids}::uuid[])`;
  return opened;
}

async function insertBalances(
  tx: TxStatements,
  of: { assetId: number; ids: readonly string[]; read: readonly ReadOpening[] },
): Promise<BalanceKey[]> {
  const { assetId, ids, read } = of;
  const column = (of: (opening: ReadOpening) => string | bigint) => arrayLiteral(read.map(of));
  // A balance that is stale, or that somebody else has made meanwhile, is opened later.
  const insert = Prisma.sql`
    INSERT INTO balance (wallet_id, asset_id, since_change_id, ended, opening, opening_proof, confirmed, opened_number)
    SELECT w.id, a.id, CASE WHEN COALESCE(added.position_number, -1) > COALESCE(configured.position_number, -1)
      THEN added.id ELSE configured.id END, w.removed_at IS NOT NULL, r.amount, r.proof, COALESCE(r.amount, 0),
      CASE WHEN r.amount IS NOT NULL THEN n.confirmed_number END
    FROM asset a JOIN watch_change configured ON configured.id = a.watch_change_id JOIN chain n ON n.name = a.chain_name
      JOIN wallet w ON w.id = ANY(${[...ids]}::uuid[]) JOIN watch_change added ON added.id = w.added_change_id
      LEFT JOIN (
        unnest(${column((one) => one.walletId)}::uuid[], ${column((one) => one.amountAtomic)}::numeric[],
          ${column((one) => one.proof)}::text[], ${column((one) => one.readNumber)}::bigint[],
          ${column((one) => one.readHash)}::text[]) AS r(wallet_id, amount, proof, number, hash)
        JOIN block k ON k.number = r.number AND k.hash = r.hash
      ) ON r.wallet_id = w.id AND k.chain_name = a.chain_name AND r.number = configured.position_number
        AND w.removed_at IS NULL AND COALESCE(added.position_number, -1) <= configured.position_number
        AND NOT EXISTS (SELECT FROM transaction t WHERE t.wallet_id = w.id AND t.asset_id = a.id)
    WHERE a.id = ${assetId}
    ON CONFLICT (wallet_id, asset_id) DO UPDATE
    SET confirmed = 0, opening = NULL, opening_proof = NULL, since_change_id = EXCLUDED.since_change_id`;
  if (read.length > 0)
    return tx.$queryRaw<BalanceKey[]>`
      WITH made AS (${insert} RETURNING wallet_id, asset_id, opening)
      INSERT INTO ledger_entry (wallet_id, asset_id, kind, amount, block_number)
      SELECT wallet_id, asset_id, 'opening', opening, ${read[0]?.readNumber ?? null}::bigint FROM made
      WHERE opening IS NOT NULL
      RETURNING wallet_id AS "walletId", asset_id AS "assetId"`;
  tx.$sendRaw`${insert}`;
  return [];
}

/**
 * Writes entries that take stale balances back. Their block is the height at which the asset came
 * back, so questions about a higher block include them.
 */
async function takeBack(tx: Statements, assetId: number, walletIds: string[]): Promise<void> {
  await tx.$executeRaw`
    WITH held AS (
      SELECT b.wallet_id, b.asset_id, b.confirmed, COALESCE(c.position_number, 0) AS number
      FROM balance b JOIN asset a ON a.id = b.asset_id JOIN watch_change c ON c.id = a.watch_change_id
      WHERE b.asset_id = ${assetId} AND b.wallet_id = ANY(${walletIds}::uuid[])
    ), weights AS (
      SELECT e.wallet_id, e.transaction_id, sum(e.amount) AS weight, max(held.number) AS number
      FROM held JOIN ledger_entry e ON e.wallet_id = held.wallet_id AND e.asset_id = held.asset_id
      WHERE e.transaction_id IS NOT NULL GROUP BY e.wallet_id, e.transaction_id HAVING sum(e.amount) <> 0
    ), rest AS (
      SELECT wallet_id, number, confirmed - COALESCE(
        (SELECT sum(weight) FROM weights WHERE weights.wallet_id = held.wallet_id), 0) AS weight FROM held
    )
    INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
    SELECT wallet_id, ${assetId}::int, transaction_id, 'reversal', -weight, number FROM weights
    UNION ALL
    SELECT wallet_id, ${assetId}::int, NULL::uuid, 'opening_undone', -weight, number FROM rest WHERE weight <> 0`;
}
