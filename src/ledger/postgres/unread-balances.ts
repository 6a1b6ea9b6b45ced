import { Prisma } from "../generated/client.ts";

/**
 * Of a balance `b` of a configured asset: its opening is to be read. Nothing is read of a wallet
 * that has ended. The index `balance_unread_idx` has just these.
 */
export const isUnread = Prisma.sql`b.opening IS NULL AND NOT b.ended`;
