import { Prisma } from "../generated/client.ts";

/**
 * Condition on a balance `b` of a configured asset: its opening is still to be read. A wallet that
 * has ended is left out. The index `balance_unread_idx` has the same condition.
 */
export const isUnread = Prisma.sql`b.opening IS NULL AND NOT b.ended`;
