import {
  type BalanceSubject,
  balanceEventOf,
  balanceNotificationBody,
} from "../../domain/delivery/notification.ts";
import { derivedId, placeOf } from "../../domain/derived-id.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import type { BalanceKey } from "../../domain/money/balance.ts";
import {
  type BalanceAt,
  type Crossed,
  type Judgement,
  judgeBalances,
} from "../../domain/money/threshold.ts";
import { waysOf } from "../../domain/webhook/interest.ts";
import type { Entry, ThresholdEntries } from "../balances/move-balances.ts";
import { isKnown } from "../balances/open-balances.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";
import { insertNotifications, type NewNotification, readWritten } from "./insert-notifications.ts";
import { type NotificationNames, readNotificationNames } from "./notification-names.ts";
import { lockBusinesses } from "./notify.ts";

/** A threshold and its balance, as the transaction sees them. */
type JudgedRow = BalanceKey & {
  businessId: string;
  address: string;
  assetAddress: string;
  belowAtomic: bigint;
  restoredFromAtomic: bigint;
  isBelow: boolean | null;
  crossings: number;
  now: BalanceAt;
};

type Crossing = Crossed & {
  row: JudgedRow;
  /** The number of the crossing of this threshold, from 1. */
  number: number;
};

type NamedCrossing = Crossing & { id: string };

/**
 * Compares confirmed balances with their thresholds after each block that moved them, and notifies
 * of crossings. It does so in the transaction that moved them (docs/decisions/0136-thresholds.md).
 * Call it last, after all moves. If the transaction took something back, or confirmed what came
 * late, only its result is compared. `entries`: what the transaction moved. They are of one chain,
 * whose lock the caller holds.
 *
 * It skips balances that are not known, removed wallets, and assets that left the configuration.
 */
export function notifyCrossings(
  tx: TxStatements,
  chainName: string,
  entries: ThresholdEntries,
): Promise<{ notified: number }> {
  return judge(tx, chainName, { balances: entries, entries });
}

/** As notifyCrossings, for balances that were not moved by entries. Safe to repeat. */
export function notifyBalances(
  tx: TxStatements,
  chainName: string,
  balances: readonly BalanceKey[],
): Promise<{ notified: number }> {
  return judge(tx, chainName, { balances, entries: [] });
}

async function judge(
  tx: TxStatements,
  chainName: string,
  { balances, entries }: { balances: readonly BalanceKey[]; entries: readonly Entry[] },
): Promise<{ notified: number }> {
  if (balances.length === 0) return { notified: 0 };
  const judged = (await readThresholds(tx, balances)).map((row) => ({
    row,
    judgement: judgeBalances(row.isBelow, row, balancesOn(row, entries)),
  }));
  const changed = judged.filter(
    ({ row, judgement: { isBelow, crossed } }) => isBelow !== row.isBelow || crossed.length > 0,
  );
  if (changed.length === 0) return { notified: 0 };
  const now = new Date();
  await keepJudgements(tx, changed, now);
  const crossings = changed
    .flatMap(({ row, judgement }) =>
      judgement.crossed.map(
        (one, at): Crossing => ({ ...one, row, number: row.crossings + at + 1 }),
      ),
    )
    .sort((one, other) => Number((one.blockNumber ?? -1n) - (other.blockNumber ?? -1n)));
  if (crossings.length === 0) return { notified: 0 };
  await lockBusinesses(
    tx,
    crossings.map(({ row }) => row.businessId),
  );
  const subjects = crossings.map(({ row }) => row);
  const names = await readNotificationNames(tx, chainName, { subjects, entered: [] });
  const named = await nameCrossings(tx, names.idKey, crossings);
  const rows = named.map((crossing) => toNotification(crossing, { chainName, now, names }));
  insertNotifications(tx, chainName, rows);
  return { notified: rows.length };
}

/**
 * The balances that the transaction has confirmed, block by block. Only the balance as it is now,
 * if it took something back or moved nothing. The same, if it confirmed a movement of a block below
 * one that was confirmed before. So a movement that came late counts after that block, as where all
 * blocks are read in order.
 */
function balancesOn({ now: read, ...row }: JudgedRow, entries: readonly Entry[]): BalanceAt[] {
  const own = entries
    .filter((one) => one.walletId === row.walletId && one.assetId === row.assetId)
    .sort((one, other) => Number(one.blockNumber - other.blockNumber));
  const newest = own.at(-1)?.blockNumber ?? null;
  const isLate = newest !== null && read.blockNumber !== null && newest < read.blockNumber;
  const now = isLate || newest === null ? read : { ...read, blockNumber: newest };
  if (isLate || own.some(({ kind }) => kind !== "confirmation")) return [now];
  let confirmedAtomic = own.reduce((rest, one) => rest - one.effectAtomic, now.confirmedAtomic);
  const balances = own.map(({ effectAtomic, blockNumber }) => {
    confirmedAtomic += effectAtomic;
    return { confirmedAtomic, blockNumber };
  });
  const isLastOfBlock = ({ blockNumber }: BalanceAt, at: number) =>
    balances[at + 1]?.blockNumber !== blockNumber;
  return balances.length === 0 ? [now] : balances.filter(isLastOfBlock);
}

/** A late movement has at most this many later ones of its balance before it in the journal. */
const latestEntries = 100;

/**
 * The thresholds of these balances, the highest of a balance first. Each has the highest block that
 * moved the balance, up to the position. A reorg or a reset may have taken higher ones away.
 */
async function readThresholds(
  tx: Statements,
  balances: readonly BalanceKey[],
): Promise<JudgedRow[]> {
  const rows = await tx.$queryRaw<
    (Omit<JudgedRow, "belowAtomic" | "restoredFromAtomic" | "now"> & {
      below: string;
      restoredFrom: string;
      confirmed: string;
      blockNumber: bigint | null;
    })[]
  >`
    SELECT t.wallet_id AS "walletId", t.asset_id AS "assetId", w.business_id AS "businessId", w.address,
      a.address AS "assetAddress", t.below::text, t.restored_from::text AS "restoredFrom", b.confirmed::text,
      t.is_below AS "isBelow", t.crossings, (
        SELECT max(e.block_number) FROM (
          SELECT block_number FROM ledger_entry
          WHERE wallet_id = t.wallet_id AND asset_id = t.asset_id ORDER BY id DESC LIMIT ${latestEntries}
        ) e JOIN chain c ON c.name = w.chain_name AND e.block_number <= c.position_number) AS "blockNumber"
    FROM (
        SELECT DISTINCT * FROM unnest(${arrayLiteral(balances.map(({ walletId }) => walletId))}::uuid[],
          ${arrayLiteral(balances.map(({ assetId }) => assetId))}::int[]) AS k(wallet_id, asset_id)
      ) k JOIN threshold t ON t.wallet_id = k.wallet_id AND t.asset_id = k.asset_id AND t.ended_at IS NULL
      JOIN balance b ON b.wallet_id = t.wallet_id AND b.asset_id = t.asset_id AND b.opening IS NOT NULL
      JOIN wallet w ON w.id = t.wallet_id AND w.removed_at IS NULL
      JOIN asset a ON a.id = t.asset_id AND a.configured AND a.left_at IS NULL AND ${isKnown}
    ORDER BY t.wallet_id, t.asset_id, t.below DESC`;
  return rows.map(({ below, restoredFrom, confirmed, blockNumber, ...row }) => ({
    ...row,
    belowAtomic: BigInt(below),
    restoredFromAtomic: BigInt(restoredFrom),
    now: { confirmedAtomic: BigInt(confirmed), blockNumber },
  }));
}

async function keepJudgements(
  tx: Statements,
  judged: readonly { row: JudgedRow; judgement: Judgement }[],
  now: Date,
): Promise<void> {
  const column = (read: (one: (typeof judged)[number]) => string | number | bigint | null) =>
    arrayLiteral(judged.map(read));
  await tx.$executeRaw`
    UPDATE threshold t SET is_below = r.is_below, crossings = t.crossings + r.crossings, since = ${now}
    FROM unnest(${column(({ row }) => row.walletId)}::uuid[], ${column(({ row }) => row.assetId)}::int[],
      ${column(({ row }) => row.belowAtomic)}::numeric[],
      ${column(({ judgement }) => String(judgement.isBelow))}::boolean[],
      ${column(({ judgement }) => judgement.crossed.length)}::int[]
    ) AS r(wallet_id, asset_id, below, is_below, crossings)
    WHERE t.wallet_id = r.wallet_id AND t.asset_id = r.asset_id AND t.below = r.below`;
}

/**
 * Gives crossings their ids. An id is derived from wallet, asset, threshold, state, and the highest
 * block that moved the balance. So the same crossing gets the same id again, for example after a
 * restore (docs/decisions/0136-thresholds.md). A reorg may bring a state a second time with a block
 * of the same number. Then the id is also derived from the number of the crossing.
 */
async function nameCrossings(
  tx: Statements,
  idKey: string,
  crossings: readonly Crossing[],
): Promise<NamedCrossing[]> {
  const named = crossings.map((one) => ({ ...one, id: crossingId(idKey, one, []) }));
  const written = await readWritten(
    tx,
    named.map(({ id }) => id),
  );
  return named.map((one) =>
    written.has(one.id) ? { ...one, id: crossingId(idKey, one, [one.number]) } : one,
  );
}

function crossingId(
  idKey: string,
  { row, state, blockNumber }: Crossing,
  more: readonly number[],
): string {
  const { walletId, assetAddress, belowAtomic } = row;
  const block = blockNumber?.toString() ?? null;
  const parts = ["threshold", walletId, assetAddress, belowAtomic.toString(), state, block];
  return derivedId(placeOf(walletId), idKey, [...parts, ...more]);
}

function toNotification(
  { id, row, state, number, confirmedAtomic }: NamedCrossing,
  known: { chainName: string; now: Date; names: NotificationNames },
): NewNotification {
  const { chainName, now, names } = known;
  const { walletId, businessId } = row;
  const asset = names.assets.get(row.assetId);
  if (asset === undefined) throw new Fault("invariant_broken", "A threshold has its asset.");
  const reference = names.references.get(walletId) ?? null;
  const subject: BalanceSubject = {
    walletId,
    address: row.address,
    reference,
    chainName,
    assetCode: asset.code,
    assetDecimals: asset.decimals,
    confirmedAtomic,
    belowAtomic: row.belowAtomic,
    restoredFromAtomic: row.restoredFromAtomic,
    crossing: number,
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
      way,
      previousId: null,
      walletId: way.isOrdered ? walletId : null,
    })),
    place: null,
    body: balanceNotificationBody({ id, state, happenedAt: now, subject }),
  };
}
