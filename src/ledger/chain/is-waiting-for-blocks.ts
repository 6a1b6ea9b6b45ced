import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { isUnread } from "../postgres/unread-balances.ts";

/** An API key used within this time counts as somebody who is looking. */
const lookingForMs = 30_000;

/**
 * True if a further block would change something that somebody waits for. That is an unread opening
 * balance, or an asset whose balances are not all made. It may also be a pending transaction that
 * waits for no proof. An API key used within the last 30 s counts too. A development chain asks
 * this, since it makes blocks only when needed. Reads only.
 */
export async function isWaitingForBlocks(db: Database): Promise<boolean> {
  const [row] = await statementsOf(db).$queryRaw<{ isWaiting: boolean }[]>`
    SELECT EXISTS (
        SELECT FROM balance b JOIN asset a ON a.id = b.asset_id AND a.configured WHERE ${isUnread})
      OR EXISTS (SELECT FROM asset WHERE configured AND opening_after IS NOT NULL)
      OR EXISTS (SELECT FROM transaction WHERE status = 'pending' AND NOT unproven)
      OR EXISTS (
        SELECT FROM rate_bucket
        WHERE full_at_us > (extract(epoch FROM clock_timestamp()) * 1000 - ${lookingForMs}) * 1000
      ) AS "isWaiting"`;
  return row?.isWaiting ?? false;
}
