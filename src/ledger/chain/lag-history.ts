import type { ChainHead, LagSample } from "../../domain/chain/chain-status.ts";
import { Fault } from "../../domain/fault.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { ask } from "../postgres/shared-statement.ts";
import { statementsOf } from "../postgres/statements.ts";
import { lagOf } from "./lag.ts";

/**
 * Keeps how far a chain is behind the head that its endpoints name, the most of each minute, and
 * forgets what is older than a week. Nothing is known before both have been seen. Safe to repeat:
 * only a larger one is written.
 */
export async function noteLag(
  db: Database,
  chainName: string,
  { head, nowMs }: { head: ChainHead | null; nowMs: number },
): Promise<void> {
  const known = (await ask(db, {
    name: `lag of ${chainName}`,
    answer: () => Prisma.sql`
      SELECT jsonb_build_object('number', position_number, 'timeMs', extract(epoch FROM position_time) * 1000,
        'noted', (SELECT seconds FROM chain_lag WHERE chain_name = chain.name AND at = date_trunc('minute', now())),
        'isAnyOld', EXISTS (SELECT FROM chain_lag WHERE chain_name = chain.name AND at < now() - interval '7 days'))
      FROM chain WHERE name = ${chainName} AND position_number IS NOT NULL AND position_time IS NOT NULL`,
  })) as KnownLag | null;
  if (head === null || known === null) return;
  const at = { number: BigInt(known.number), timeMs: known.timeMs };
  const { lagSeconds } = lagOf(at, { named: head, known: null }, nowMs);
  if (!known.isAnyOld && (lagSeconds ?? -1) <= (known.noted ?? -1)) return;
  await statementsOf(db).$executeRaw`
    WITH forgotten AS (
      DELETE FROM chain_lag WHERE chain_name = ${chainName} AND at < now() - interval '7 days'
    )
    INSERT INTO chain_lag (chain_name, at, seconds) VALUES (${chainName}, date_trunc('minute', now()), ${lagSeconds})
    ON CONFLICT (chain_name, at) DO UPDATE SET seconds = EXCLUDED.seconds WHERE chain_lag.seconds < EXCLUDED.seconds`;
}

type KnownLag = { number: number; timeMs: number; noted: number | null; isAnyOld: boolean };

/**
 * Reads the lag of a chain in the last day: the most seconds of every ten minutes, the oldest
 * first. Ten minutes without a report are left out.
 * @throws Fault `chain_not_found`
 */
export async function readLagHistory(db: Database, chainName: string): Promise<LagSample[]> {
  return reaching(async () => {
    if ((await modelsOf(db).chain.findUnique({ where: { name: chainName } })) === null)
      throw new Fault("chain_not_found", `There is no chain '${chainName}'.`);
    return statementsOf(db).$queryRaw<LagSample[]>`
      SELECT date_bin('10 minutes', at, timestamptz '2000-01-01T00:00:00Z') AS at, max(seconds)::int AS seconds
      FROM chain_lag WHERE chain_name = ${chainName} AND at > now() - interval '1 day' GROUP BY 1 ORDER BY 1`;
  });
}
