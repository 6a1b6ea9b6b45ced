import {
  notificationEvents,
  sightedState,
  sightingEvent,
} from "../../domain/delivery/notification.ts";
import {
  type SightingSubject,
  sightingNotificationBody,
} from "../../domain/delivery/sighting-notification.ts";
import { derivedId, placeOf } from "../../domain/derived-id.ts";
import { idAt } from "../../domain/id.ts";
import { waysOf } from "../../domain/webhook/interest.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { insertNotifications, type NewNotification, readWritten } from "./insert-notifications.ts";
import { type NotificationNames, readNotificationNames } from "./notification-names.ts";
import { lockBusinesses } from "./notify.ts";

/** A sighting whose contract was read, and the business of its wallet. */
export type NotifiedSighting = SightingSubject & { businessId: string };

/**
 * Writes a notification of each sighting for each webhook that asked for sightings by name, with
 * its delivery. Other webhooks get none, since known addresses receive thousands of spam tokens.
 * Call it in the transaction that marks the sightings as reported. A notification exists at most
 * once, so a repeat changes nothing. The sightings are of one chain, whose lock the caller holds.
 */
export async function notifySightings(
  tx: TxStatements,
  chainName: string,
  sightings: readonly NotifiedSighting[],
): Promise<{ notified: number }> {
  if (sightings.length === 0) return { notified: 0 };
  await lockBusinesses(
    tx,
    sightings.map(({ businessId }) => businessId),
  );
  const subjects = sightings.map((sighting) => ({ ...sighting, assetId: null }));
  const names = await readNotificationNames(tx, chainName, { subjects, entered: [] });
  const now = new Date();
  const wanted = sightings
    .map((sighting) => toNotification(sighting, { now, names }))
    .filter(({ deliveries }) => deliveries.length > 0);
  if (wanted.length === 0) return { notified: 0 };
  // Retention may keep a notification longer than its sighting, which a rewind then finds again.
  const written = await readWritten(
    tx,
    wanted.map(({ id }) => id),
  );
  const due = wanted.filter(({ id }) => !written.has(id));
  if (due.length > 0) insertNotifications(tx, chainName, due);
  return { notified: due.length };
}

function toNotification(
  sighting: NotifiedSighting,
  { now, names }: { now: Date; names: NotificationNames },
): NewNotification {
  const { sightingId, businessId, chainName, walletId, reference } = sighting;
  const id = derivedId(placeOf(sightingId), names.idKey, ["sighting", sightingId]);
  const facts = () => ({
    event: sightingEvent,
    chainName,
    assetCode: null,
    walletId,
    reference,
    amount: null,
    worth: null,
  });
  const isOnRequest = notificationEvents[sightingEvent].askedBy === "webhook";
  const judged = { facts, given: null, isOnRequest };
  return {
    id,
    businessId,
    transactionId: null,
    walletId,
    round: 0,
    state: sightedState,
    event: sightingEvent,
    createdAt: now.toISOString(),
    deliveries: waysOf(names.webhooks.get(businessId) ?? [], judged).map((way) => ({
      id: idAt(now.getTime()),
      way,
      previousId: null,
      walletId: way.isOrdered ? walletId : null,
    })),
    place: null,
    body: sightingNotificationBody({ id, happenedAt: now, subject: sighting }),
  };
}
