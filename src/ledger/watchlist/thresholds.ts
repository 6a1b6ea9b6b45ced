import { fieldProblems } from "../../domain/field-problem.ts";
import { toAtomic } from "../../domain/money/amount.ts";
import {
  mostThresholds,
  type NewThreshold,
  type Threshold,
  type ThresholdLimits,
} from "../../domain/money/threshold.ts";
import { requireFound } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import { lockChain } from "../chain/chain-state.ts";
import { Prisma } from "../generated/client.ts";
import { notifyBalances } from "../notifications/notify-crossings.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";
import type { Tx } from "../postgres/transaction.ts";

/**
 * The thresholds that a wallet shall have. A null business: an operator sets them, for any wallet.
 */
type Setting = {
  businessId: string | null;
  walletId: string;
  thresholds: readonly NewThreshold[];
};

/** A wallet's thresholds, and the business that owns the wallet. */
export type SetThresholds = { businessId: string; thresholds: Threshold[] };

type Asset = { id: number; code: string; decimals: number };

type Limit = ThresholdLimits & { assetId: number };

/**
 * Replaces the thresholds of a watched wallet. A threshold with the same asset and `below` keeps
 * its state. A new one is compared at once: a balance below it is notified. Repeating the same list
 * changes nothing.
 * @throws Fault `wallet_not_found`; `invalid_request` that names the field
 */
export async function setThresholds(tx: Tx, setting: Setting): Promise<SetThresholds> {
  const { walletId } = setting;
  const chainName = (await findWallet(tx, setting)).chainName;
  // Until the end nobody moves a balance, or sets thresholds.
  await lockChain(tx, chainName);
  const { businessId } = await findWallet(tx, setting);
  const assets = await tx.asset.findMany({
    where: { chainName, configured: true },
    select: { id: true, code: true, decimals: true },
    orderBy: { id: "asc" },
  });
  const limits = limitsOf(setting.thresholds, assets);
  await endOthers(tx, walletId, limits);
  await writeLimits(tx, walletId, limits);
  await notifyBalances(
    tx,
    chainName,
    limits.map(({ assetId }) => ({ walletId, assetId })),
  );
  return { businessId, thresholds: await selectThresholds(tx, walletId) };
}

/** The thresholds of a wallet that have not ended, by asset, the lowest first. */
export async function readThresholds(db: Database, walletId: string): Promise<Threshold[]> {
  return selectThresholds(statementsOf(db), walletId);
}

async function findWallet(tx: Tx, { businessId, walletId }: Setting) {
  const wallet = await tx.wallet.findFirst({
    where: { id: walletId, removedAt: null, ...(businessId === null ? {} : { businessId }) },
    select: { chainName: true, businessId: true },
  });
  return requireFound(wallet, "wallet_not_found");
}

function limitsOf(thresholds: readonly NewThreshold[], assets: readonly Asset[]): Limit[] {
  if (thresholds.length > mostThresholds) {
    const word = { code: "too_many" as const, values: { most: mostThresholds } };
    throw invalidField("thresholds", `must have at most ${mostThresholds} entries`, word);
  }
  const limits = thresholds.map((threshold, index) =>
    limitOf(threshold, { assets, field: `thresholds[${index}]` }),
  );
  const keys = limits.map(({ assetId, belowAtomic }) => `${assetId}/${belowAtomic}`);
  const repeated = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  if (repeated !== -1)
    throw invalidField(`thresholds[${repeated}].below`, "must stand in one threshold of its asset");
  return limits;
}

function limitOf(
  threshold: NewThreshold,
  { assets, field }: { assets: readonly Asset[]; field: string },
): Limit {
  const asset = assets.find(({ code }) => code === threshold.assetCode);
  if (asset === undefined) {
    const known = assets.map(({ code }) => code).join(", ");
    throw invalidField(`${field}.asset`, `expected one of ${known}`, {
      code: "choice",
      values: { choices: known },
    });
  }
  const { decimals } = asset;
  const rule = `expected a decimal of at most ${decimals} decimals`;
  const word = { code: "decimals" as const, values: { most: decimals } };
  const belowAtomic = toAtomic(threshold.below, decimals);
  if (belowAtomic === null) throw invalidField(`${field}.below`, rule, word);
  if (belowAtomic === 0n) throw invalidField(`${field}.below`, fieldProblems.above_zero.rule);
  const restoredFromAtomic =
    threshold.restoredFrom === null ? belowAtomic : toAtomic(threshold.restoredFrom, decimals);
  if (restoredFromAtomic === null) throw invalidField(`${field}.restored_from`, rule, word);
  if (restoredFromAtomic < belowAtomic)
    throw invalidField(`${field}.restored_from`, fieldProblems.not_below.rule);
  return { assetId: asset.id, belowAtomic, restoredFromAtomic };
}

const assetIdsOf = (limits: readonly Limit[]) => arrayLiteral(limits.map(({ assetId }) => assetId));
const belowsOf = (limits: readonly Limit[]) =>
  arrayLiteral(limits.map(({ belowAtomic }) => belowAtomic));

/**
 * Ends the other thresholds. A crossed one keeps its row, so that its next crossing gets the next
 * number. It reads none of those that ended before, since there may be many.
 */
async function endOthers(
  tx: Statements,
  walletId: string,
  limits: readonly Limit[],
): Promise<void> {
  const isOther = Prisma.sql`wallet_id = ${walletId}::uuid AND ended_at IS NULL AND (asset_id, below) NOT IN (
    SELECT * FROM unnest(${assetIdsOf(limits)}::int[], ${belowsOf(limits)}::numeric[]))`;
  await tx.$executeRaw`DELETE FROM threshold WHERE ${isOther} AND crossings = 0`;
  await tx.$executeRaw`UPDATE threshold SET ended_at = now() WHERE ${isOther}`;
}

async function writeLimits(
  tx: Statements,
  walletId: string,
  limits: readonly Limit[],
): Promise<void> {
  const restoredFroms = arrayLiteral(limits.map(({ restoredFromAtomic }) => restoredFromAtomic));
  await tx.$executeRaw`
    INSERT INTO threshold AS t (wallet_id, asset_id, below, restored_from, since)
    SELECT ${walletId}::uuid, r.asset_id, r.below, r.restored_from, now()
    FROM unnest(${assetIdsOf(limits)}::int[], ${belowsOf(limits)}::numeric[], ${restoredFroms}::numeric[])
      AS r(asset_id, below, restored_from)
    ON CONFLICT (wallet_id, asset_id, below) DO UPDATE SET restored_from = EXCLUDED.restored_from, ended_at = NULL,
      is_below = CASE WHEN t.ended_at IS NULL THEN t.is_below END,
      since = CASE WHEN t.ended_at IS NULL THEN t.since ELSE EXCLUDED.since END
    WHERE t.ended_at IS NOT NULL OR t.restored_from <> EXCLUDED.restored_from`;
}

async function selectThresholds(statements: Statements, walletId: string): Promise<Threshold[]> {
  const rows = await statements.$queryRaw<
    (Omit<Threshold, keyof ThresholdLimits> & { below: string; restoredFrom: string })[]
  >`
    SELECT a.code AS "assetCode", a.decimals AS "assetDecimals", t.below::text, t.restored_from::text AS "restoredFrom",
      t.is_below AS "isBelow", t.since
    FROM threshold t JOIN asset a ON a.id = t.asset_id
    WHERE t.wallet_id = ${walletId}::uuid AND t.ended_at IS NULL ORDER BY a.id, t.below`;
  return rows.map(({ below, restoredFrom, ...row }) => ({
    ...row,
    belowAtomic: BigInt(below),
    restoredFromAtomic: BigInt(restoredFrom),
  }));
}
