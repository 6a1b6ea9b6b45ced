import type { AskedStatus, StoredDeliveryStatus } from "../../domain/delivery/delivery.ts";
import { Prisma } from "../generated/client.ts";
import type { Statements } from "../postgres/statements.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";
import { words } from "../postgres/words.ts";
import { isAskedAbout } from "./delivery-state.ts";

/** The statuses of an existing delivery that is not delivered; see deliveryStatuses. */
type UndeliveredStatus = Exclude<AskedStatus, "delivered" | "filtered">;

/**
 * Condition on a waiting delivery `d` with its webhook `w`: no active webhook is there to notify.
 */
const isHeld = Prisma.sql`(w.id IS NULL OR NOT w.is_active OR w.deleted_at IS NOT NULL)`;

/** At most this many notifications are collected before the list is read. */
export const mostCollected = 20_000;

type Whose = {
  businessId: string | null;
  /** Null: at any webhook. Without an id: at the first one. */
  at: { id: string | null } | null;
};

/** The notifications that may have a status: their ids, or a condition on a notification `n`. */
export type Candidates =
  | { kind: "few"; ids: readonly string[] }
  | { kind: "many"; condition: Prisma.Sql };

/**
 * Finds the notifications that have a delivery with this status. If there are few, an index
 * collects them first. If there are many, the rows of the list are tested one by one. OFFSET 0
 * makes PostgreSQL do so, however few it expects.
 */
export async function findUndelivered(
  on: Statements,
  of: Whose,
  status: UndeliveredStatus,
): Promise<Candidates> {
  const found = await on.$queryRaw<{ id: string }[]>`
    SELECT u.notification_id AS id FROM (${undeliveredNotifications(of, status, "a few")}) u LIMIT ${mostCollected + 1}`;
  if (found.length <= mostCollected)
    return { kind: "few", ids: [...new Set(found.map(({ id }) => id))] };
  return { kind: "many", condition: hasDelivery(of, status) };
}

/** Condition: the notification `n` has a delivery with this status. */
export const hasDelivery = (at: Pick<Whose, "at">, status: keyof typeof storedAs): Prisma.Sql =>
  Prisma.sql`EXISTS (
    SELECT FROM delivery d WHERE d.notification_id = n.id AND d.status IN (${words(storedAs[status])}) AND ${isAt(at)} OFFSET 0)`;

const storedAs = {
  exhausted: ["exhausted"],
  cancelled: ["cancelled"],
  held: ["waiting"],
  waiting: ["waiting"],
  undelivered: ["exhausted", "waiting"],
  delivered: ["delivered"],
} as const satisfies Record<UndeliveredStatus | "delivered", readonly StoredDeliveryStatus[]>;

const isAt = ({ at }: Pick<Whose, "at">): Prisma.Sql =>
  at === null ? Prisma.sql`true` : isAskedAbout(at.id);

/**
 * A query of the `notification_id` of every delivery with this status. A null business: of all
 * businesses. A notification may also have a delivered delivery. The cost grows with the
 * undelivered ones only. Waiting ones are looked up after their webhook is known to match: another
 * webhook may hold very many. Of `a few` each is looked up by itself, and no table is read whole.
 */
export function undeliveredNotifications(
  of: Whose,
  status: UndeliveredStatus,
  wanted: "a few" | "all",
): Prisma.Sql {
  const { businessId, at } = of;
  const ofBusiness = (row: Prisma.Sql) =>
    businessId === null ? Prisma.sql`true` : Prisma.sql`${row}.business_id = ${businessId}::uuid`;
  const ended = (as: string) => Prisma.sql`
    SELECT d.notification_id FROM delivery d
    WHERE d.status = ${as} AND ${ofBusiness(Prisma.sql`d`)} AND ${isAt(of)}`;
  const waiting = (isIt: Prisma.Sql) => Prisma.sql`
    SELECT d.notification_id FROM (
      SELECT x.id FROM ${waitingDeliveries} x LEFT JOIN webhook w ON w.id = x.webhook_id
      WHERE ${ofBusiness(Prisma.sql`x`)} AND ${mayBeAt(at)} AND ${isIt} OFFSET 0
    ) x CROSS JOIN LATERAL (
      SELECT d.notification_id FROM delivery d
      WHERE d.id = x.id AND ${isAt(of)} ${wanted === "a few" ? oneByOne : Prisma.empty}) d`;
  if (status === "exhausted" || status === "cancelled") return ended(status);
  if (status === "held") return waiting(isHeld);
  if (status === "waiting") return waiting(Prisma.sql`NOT ${isHeld}`);
  return Prisma.sql`${ended("exhausted")} UNION ALL ${waiting(Prisma.sql`true`)}`;
}

/** Makes PostgreSQL run a subquery for each row by itself, whatever number of rows it expects. */
const oneByOne = Prisma.sql`OFFSET 0`;

/**
 * Condition on a waiting delivery `x` with its webhook `w`: it may be one that `isAt` selects. A
 * webhook is the first one or not for ever, and so are its deliveries.
 */
function mayBeAt(at: Whose["at"]): Prisma.Sql {
  if (at === null) return Prisma.sql`true`;
  const isFirst = Prisma.sql`w.is_additional IS NOT TRUE`;
  return at.id === null ? isFirst : Prisma.sql`(w.id = ${at.id}::uuid OR ${isFirst})`;
}
