import {
  type BalanceSubject,
  balanceEventOf,
  balanceNotificationBody,
} from "../../domain/delivery/notification.ts";
import { derivedId, placeOf } from "../../domain/derived-id.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import type { BalanceKey } from "../../domain/money/balance.ts";
import { type CrossedState, judgeBalance } from "../../domain/money/threshold.ts";
import { waysOf } from "../../domain/webhook/interest.ts";
import { isKnown } from "../balances/open-balances.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";
import { insertNotifications, type NewNotification } from "./insert-notifications.ts";
import { type NotificationNames, readNotificationNames } from "./notification-names.ts";
import { lockBusinesses } from "./notify.ts";

/** A threshold and its balance, as the transaction sees them. */
type JudgedRow = BalanceKey & {
  businessId: string;
  address: string;
  assetAddress: string;
  belowAtomic: bigint;
  restoredFromAtomic: bigint;
  confirmedAtomic: bigint;
  isBelow: boolean | null;
  crossings: number;
};

type Crossing = { row: JudgedRow; state: CrossedState };

/**
 * Compares confirmed balances with their thresholds, and notifies of crossings, in the transaction
 * that moved the balances (docs/decisions/0136-thresholds.md). Call it last, after all moves. A
 * repeat changes nothing. The balances are of one chain, whose lock the caller holds.
 *
 * It skips balances that are not known, removed wallets, and assets that left the configuration.
 */
export async function notifyCrossings(
  tx: TxStatements,
  chainName: string,
  balances: readonly BalanceKey[],
): Promise<{ notified: number }> {
  if (balances.length === 0) return { notified: 0 };
  const judged = (await readThresholds(tx, balances)).map((row) => ({
    row,
    judgement: judgeBalance(row.isBelow, row, row.confirmedAtomic),
  }));
  const changed = judged.filter(({ judgement }) => judgement.kind !== "same");
  if (changed.length === 0) return { notified: 0 };
  const now = new Date();
  const crossings = judged.flatMap(({ row, judgement }): Crossing[] =>
    judgement.kind === "crossed" ? [{ row, state: judgement.state }] : [],
  );
  await keepJudgements(
    tx,
    changed.map(({ row, judgement }) => ({
      row,
      isBelow: judgement.kind === "crossed" && judgement.state === "below",
      crossings: judgement.kind === "crossed" ? 1 : 0,
    })),
    now,
  );
  if (crossings.length === 0) return { notified: 0 };
  await lockBusinesses(
    tx,
    crossings.map(({ row }) => row.businessId),
  );
  const subjects = crossings.map(({ row }) => row);
  const names = await readNotificationNames(tx, chainName, { subjects, entered: [] });
  const rows = crossings.map((crossing) => toNotification(crossing, { chainName, now, names }));
  insertNotifications(tx, chainName, rows);
  return { notified: rows.length };
}

/** The thresholds of these balances, the highest of a balance first. */
async function readThresholds(
  tx: Statements,
  balances: readonly BalanceKey[],
): Promise<JudgedRow[]> {
  const rows = await tx.$queryRaw<
    (Omit<JudgedRow, "belowAtomic" | "restoredFromAtomic" | "confirmedAtomic"> & {
      below: string;
      restoredFrom: string;
      confirmed: string;
    })[]
  >`
    SELECT t.wallet_id AS "walletId", t.asset_id AS "assetId", w.business_id AS "businessId", w.address,
      a.address AS "assetAddress", t.below::text, t.restored_from::text AS "restoredFrom", b.confirmed::text,
      t.is_below AS "isBelow", t.crossings
    FROM (
        SELECT DISTINCT * FROM unnest(${arrayLiteral(balances.map(({ walletId }) => walletId))}::uuid[],
          ${arrayLiteral(balances.map(({ assetId }) => assetId))}::int[]) AS k(wallet_id, asset_id)
      ) k JOIN threshold t ON t.wallet_id = k.wallet_id AND t.asset_id = k.asset_id AND t.ended_at IS NULL
      JOIN balance b ON b.wallet_id = t.wallet_id AND b.asset_id = t.asset_id AND b.opening IS NOT NULL
      JOIN wallet w ON w.id = t.wallet_id AND w.removed_at IS NULL
      JOIN asset a ON a.id = t.asset_id AND a.configured AND a.left_at IS NULL AND ${isKnown}
    ORDER BY t.wallet_id, t.asset_id, t.below DESC`;
  return rows.map(({ below, restoredFrom, confirmed, ...row }) => ({
    ...row,
    belowAtomic: BigInt(below),
    restoredFromAtomic: BigInt(restoredFrom),
    confirmedAtomic: BigInt(confirmed),
  }));
}

async function keepJudgements(
  tx: Statements,
  judged: readonly { row: JudgedRow; isBelow: boolean; crossings: number }[],
  now: Date,
): Promise<void> {
  const column = (read: (row: JudgedRow) => string | number | bigint) =>
    arrayLiteral(judged.map(({ row }) => read(row)));
  await tx.$executeRaw`
    UPDATE threshold t SET is_below = r.is_below, crossings = t.crossings + r.crossings, since = ${now}
    FROM unnest(${column(({ walletId }) => walletId)}::uuid[], ${column(({ assetId }) => assetId)}::int[],
      ${column(({ belowAtomic }) => belowAtomic)}::numeric[],
      ${arrayLiteral(judged.map(({ isBelow }) => String(isBelow)))}::boolean[],
      ${arrayLiteral(judged.map(({ crossings }) => crossings))}::int[]
    ) AS r(wallet_id, asset_id, below, is_below, crossings)
    WHERE t.wallet_id = r.wallet_id AND t.asset_id = r.asset_id AND t.below = r.below`;
}

/**
 * Derives the id from the wallet, the asset, the threshold and the number of the crossing. So the
 * same notification gets the same id again, for example after a restore
 * (docs/decisions/0050-derived-ids.md).
 */
function crossingId(idKey: string, row: JudgedRow, crossing: number): string {
  const { walletId, assetAddress, belowAtomic } = row;
  const parts = ["threshold", walletId, assetAddress, belowAtomic.toString(), crossing];
  return derivedId(placeOf(walletId), idKey, parts);
}

function toNotification(
  { row, state }: Crossing,
  known: { chainName: string; now: Date; names: NotificationNames },
): NewNotification {
  const { chainName, now, names } = known;
  const { walletId, businessId } = row;
  const asset = names.assets.get(row.assetId);
  if (asset === undefined) throw new Fault("invariant_broken", "A threshold has its asset.");
  const crossing = row.crossings + 1;
  const id = crossingId(names.idKey, row, crossing);
  const reference = names.references.get(walletId) ?? null;
  const subject: BalanceSubject = {
    walletId,
    address: row.address,
    reference,
    chainName,
    assetCode: asset.code,
    assetDecimals: asset.decimals,
    confirmedAtomic: row.confirmedAtomic,
    belowAtomic: row.belowAtomic,
    restoredFromAtomic: row.restoredFromAtomic,
    crossing,
  };
  const event = balanceEventOf(state);
  const facts = () => ({
    event,
    chainName,
    assetCode: asset.code,
    walletId,
    reference,
    amount: null,
    worth: null,
  });
  return {
    id,
    businessId,
    transactionId: null,
    walletId,
    round: 0,
    state,
    event,
    createdAt: now.toISOString(),
    deliveries: waysOf(names.webhooks.get(businessId) ?? [], {
      facts,
      given: null,
      isOnRequest: false,
    }).map((way) => ({
      id: idAt(now.getTime()),
      previousId: null,
      walletId: way.isOrdered ? walletId : null,
      ...way,
    })),
    place: null,
    body: balanceNotificationBody({ id, state, happenedAt: now, subject }),
  };
}
