import type { World } from "../world.ts";

/**
 * Every notification was heard at least once, always as the same bytes, by the receiver it was sent
 * to. A restored ledger may say it with another sequence, but under the id it had.
 */
export async function checkDeliveries(
  world: World,
  heard: readonly {
    notificationId: string;
    body: string;
    isAccepted: boolean;
    isBeforeRestore: boolean;
  }[],
): Promise<void> {
  const { fail } = world;
  const notifications = await world.sql<{ id: string; body: string; statuses: string[] }>(
    `SELECT n.id, n.body, array_agg(d.status) AS statuses
     FROM notification n LEFT JOIN delivery d ON d.notification_id = n.id GROUP BY n.id`,
  );
  const bodies = new Map(notifications.map(({ id, body }) => [id, body]));
  const accepted = new Set<string>();
  for (const { notificationId, body, isAccepted, isBeforeRestore } of heard) {
    if (isAccepted) accepted.add(notificationId);
    const written = bodies.get(notificationId);
    const isSaid =
      isBeforeRestore && written !== undefined
        ? isSameEvent(written, body)
        : written === body || (isBeforeRestore && isOnlyPending(body));
    if (!isSaid) fail(`a receiver heard ${body} as notification ${notificationId}`);
  }
  // Of several webhooks each has its own: see createWays.
  if (world.ways !== null) return;
  for (const { id, statuses } of notifications) {
    if (!accepted.has(id)) fail(`notification ${id} was never heard: ${statuses.join(", ")}`);
    if (!statuses.includes("delivered")) fail(`notification ${id} is ${statuses.join(", ")}`);
  }
}

/**
 * True if both say the same of the money. Their times and their sequences may differ. So may what
 * shows the money: endpoints may have deleted the state that a restored ledger asks for again.
 */
export function isSameEvent(one: string, other: string): boolean {
  const said = (body: string) => {
    const { event, data } = JSON.parse(body) as { event: string; data: Record<string, unknown> };
    const { proof: _, confirmedAlone: __, ...money } = data;
    return JSON.stringify([event, money]);
  };
  return said(one) === said(other);
}

/**
 * It says what a chain shows for a moment. Whoever reads the chain again, and faster, may not see
 * it, nor announce it.
 */
export function isOnlyPending(body: string): boolean {
  const { data } = JSON.parse(body) as { data: { status: string } };
  return data.status === "pending" || data.status === "dropped";
}
