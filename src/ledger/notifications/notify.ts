import {
  eventOf,
  type NotificationEvent,
  type NotificationState,
  type NotificationSubject,
  notificationBody,
  notificationEvents,
  type StateEnteredBy,
} from "../../domain/delivery/notification.ts";
import { placeAfter, streamStart } from "../../domain/delivery/stream.ts";
import { derivedId, placeOf } from "../../domain/derived-id.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { isNotifiedType, type NotifiedType } from "../../domain/money/transaction.ts";
import { worthOf } from "../../domain/price/price.ts";
import type { FilteredFacts } from "../../domain/webhook/filter.ts";
import { streamOwner, type Way, waysOf } from "../../domain/webhook/interest.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";
import type { MovedRow } from "../transactions/transaction-row.ts";
import { insertNotifications, type NewNotification } from "./insert-notifications.ts";
import {
  isUndoing,
  type NotificationNames,
  readNotificationNames,
  readUndone,
  stateKey,
  type Undone,
} from "./notification-names.ts";

type NotifiedRow = MovedRow & { type: NotifiedType };

type Entered = { state: NotificationState; row: NotifiedRow };

type RowsOf<State extends NotificationState> = Readonly<Record<State, readonly MovedRow[]>>;

/**
 * The transactions that entered each state that a block or a reorg can bring. The type requires
 * every such state.
 */
export type EnteredBy<Cause extends "block" | "reorg"> = RowsOf<StateEnteredBy<Cause>>;

/**
 * Writes notifications of the states that transactions have just entered, and a delivery for each
 * webhook that wants it. They are in the order in which `entered` names the states
 * (docs/invariants.md#i6). Only deposits, withdrawals and payments are notified. Pending and
 * dropped are notified only if the business asked for them, or if they undo what was notified.
 *
 * Each notification gets the next place in the stream of its business and chain. A (transaction,
 * round, state) has at most one notification, so a repeat changes nothing. All transactions are of
 * one chain, whose lock the caller holds.
 *
 * For an asset that left the configuration, only what undoes a notified state is notified. Other
 * transactions are marked, and notified once the asset is back (see notifyReturned).
 */
export async function notify<State extends NotificationState>(
  tx: TxStatements,
  entered: RowsOf<State>,
): Promise<{ notified: number }> {
  const candidates = keysOf(entered).flatMap((state) =>
    entered[state].filter(isNotifiedRow).map((row): Entered => ({ state, row })),
  );
  if (candidates.length === 0) return { notified: 0 };
  const businessIds = candidates.map(({ row }) => row.businessId);
  const locking = lockBusinesses(tx, businessIds);
  // A shortcut: most chains bring pending transactions in every block, and few businesses ask for
  // them.
  const isOnlyOnRequest = candidates.every(
    ({ state, row }) => isOnRequest(state, row) && !isUndoing(state),
  );
  if (isOnlyOnRequest && (await locking).size === 0) return { notified: 0 };
  const chainName = chainOf(candidates);
  const subjects = candidates.map(({ row }) => row);
  const [asking, names, undone] = await Promise.all([
    locking,
    readNotificationNames(tx, chainName, { subjects, entered: candidates }),
    readUndone(tx, candidates),
  ]);
  const undoes = ({ state, row }: Entered) => isUndoing(state) && undone.has(row.id);
  const isAsked = ({ state, row }: Entered) =>
    !isOnRequest(state, row) || asking.has(row.businessId);
  const wanted = candidates.filter(
    (one) => (isAsked(one) || undoes(one)) && !names.written.has(stateKey(one)),
  );
  const isLeft = (one: Entered) => names.leftAssets.has(one.row.assetId) && !undoes(one);
  markUnnotified(tx, wanted.filter(isLeft));
  const due = wanted.filter((one) => !isLeft(one));
  if (due.length === 0) return { notified: 0 };
  const now = new Date();
  insertNotifications(
    tx,
    chainName,
    due.map((one) => toNotification(one, now, { names, undone })),
  );
  return { notified: due.length };
}

/**
 * Marks transactions to be notified once their asset is back. A state that undoes another is left
 * out: if the undone state was not notified, it is not notified either.
 */
function markUnnotified(tx: TxStatements, left: readonly Entered[]): void {
  const ids = left.filter(({ state }) => !isUndoing(state)).map(({ row }) => row.id);
  if (ids.length === 0) return;
  tx.$sendRaw`UPDATE transaction SET unnotified = true WHERE id = ANY(${arrayLiteral(ids)}::uuid[])`;
}

/**
 * The one chain of these states. The caller has locked it, so nobody else writes to its streams.
 * @throws Fault `invariant_broken` if there are several chains
 */
function chainOf(entered: readonly Entered[]): string {
  const [chainName, ...others] = new Set(entered.map(({ row }) => row.chainName));
  if (chainName === undefined || others.length > 0)
    throw new Fault("invariant_broken", "Notifications of several chains were written together.");
  return chainName;
}

function isNotifiedRow(row: MovedRow): row is NotifiedRow {
  return isNotifiedType(row.type);
}

function isOnRequest(state: NotificationState, { type }: NotifiedRow): boolean {
  return notificationEvents[eventOf(state, type)].askedBy === "business";
}

/**
 * Locks the businesses' rows for share. Answers the ids of those that asked for pending
 * transactions. Registering or replacing a webhook locks the row too. So a later statement sees all
 * current webhooks. No delivery misses a new webhook or goes to a replaced one.
 */
export async function lockBusinesses(
  tx: Statements,
  businessIds: readonly string[],
): Promise<Set<string>> {
  const ids = arrayLiteral([...new Set(businessIds)]);
  const rows = await tx.$queryRaw<{ id: string; asks: boolean }[]>`
    SELECT id, notify_pending AS asks FROM business WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR SHARE`;
  return new Set(rows.filter(({ asks }) => asks).map(({ id }) => id));
}

/**
 * Derives the id from the transaction, the round and the state. In the order of ids it stands
 * beside its transaction. The same notification gets the same id again, for example after a restore
 * (docs/decisions/0050-derived-ids.md).
 */
function notificationId(
  idKey: string,
  { id, round }: NotifiedRow,
  state: NotificationState,
): string {
  return derivedId(placeOf(id), idKey, ["notification", id, round, state]);
}

/**
 * Makes a notification, and takes its places in its streams. Call it in the order of the
 * notifications.
 */
function toNotification(
  { state, row }: Entered,
  happenedAt: Date,
  known: { names: NotificationNames; undone: Map<string, Undone> },
): NewNotification {
  const { names, undone } = known;
  const asset = names.assets.get(row.assetId);
  if (asset === undefined) throw new Fault("invariant_broken", "A transaction has its asset.");
  const id = notificationId(names.idKey, row, state);
  const place = placeAfter(names.places.get(row.businessId) ?? streamStart, id);
  names.places.set(row.businessId, place);
  // Written field by field, for speed: there are thousands, and a spread costs as much as all the
  // rest.
  const subject = {
    transactionId: row.id,
    type: row.type,
    txHash: row.txHash,
    amountAtomic: row.amountAtomic,
    assetCode: asset.code,
    assetDecimals: asset.decimals,
    chainName: row.chainName,
    fromAddress: row.fromAddress,
    toAddress: row.toAddress,
    memo: row.memo,
    virtualAddress: row.virtualAddress,
    lookalikeOf: names.lookalikes.get(row.id) ?? null,
    walletId: row.walletId,
    reference: names.references.get(row.walletId) ?? null,
    blockNumber: row.blockNumber,
    proof: row.proof,
    confirmedAlone: row.confirmedAlone,
  };
  const event = eventOf(state, row.type);
  const undoes = undone.get(row.id);
  const reversesNotificationId = state === "reversed" ? undoes?.id : undefined;
  const facts = () => factsOf(subject, { event, usd: asset.usd });
  return {
    id,
    businessId: row.businessId,
    transactionId: row.id,
    walletId: null,
    round: row.round,
    state,
    event,
    createdAt: happenedAt.toISOString(),
    deliveries: waysOf(names.webhooks.get(row.businessId) ?? [], {
      facts,
      given: undoes?.given ?? (isUndoing(state) ? "everybody" : null),
      isOnRequest: false,
    }).map((way) => ({
      id: idAt(happenedAt.getTime()),
      way,
      previousId: takePlace(names.newest, { way, businessId: row.businessId, id }),
      walletId: way.isOrdered ? row.walletId : null,
    })),
    place,
    body: notificationBody({
      id,
      state,
      happenedAt,
      sequence: place.sequence,
      subject,
      reversesNotificationId,
    }),
  };
}

/** Makes a notification the newest of its way, and answers the id of the one before it. */
function takePlace(
  newest: Map<string, string>,
  { way, businessId, id }: { way: Way; businessId: string; id: string },
): string | null {
  const owner = streamOwner(way, businessId);
  const previous = newest.get(owner) ?? null;
  newest.set(owner, id);
  return previous;
}

/** The facts that filters use. Without a fresh price the value of a movement is null. */
function factsOf(
  subject: NotificationSubject,
  { event, usd }: { event: NotificationEvent; usd: string | null },
): FilteredFacts {
  const { chainName, assetCode, walletId, reference, amountAtomic, assetDecimals } = subject;
  const worth = usd === null ? null : worthOf({ amountAtomic, decimals: assetDecimals, usd });
  return {
    event,
    chainName,
    assetCode,
    walletId,
    reference,
    worth,

    amount: { units: amountAtomic, scale: assetDecimals },
  };
}
