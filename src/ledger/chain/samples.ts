import type { ChainHead, EndpointSample, LagSample } from "../../domain/chain/chain-status.ts";
import { chainNotFound } from "../../domain/not-found.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { keptSamples, tenMinutesOfSample } from "../postgres/sample-times.ts";
import { ask } from "../postgres/shared-statement.ts";
import { statementsOf } from "../postgres/statements.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";
import { lagOf } from "./lag.ts";

/**
 * Stores a chain's lag behind the head that its endpoints name, the largest of each minute. Deletes
 * samples older than a week. Stores nothing until the chain has a position and a head. Safe to
 * repeat: it only raises a minute's sample.
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
        'isAnyOld', EXISTS (SELECT FROM chain_lag WHERE chain_name = chain.name AND at < now() - ${keptSamples}))
      FROM chain WHERE name = ${chainName} AND position_number IS NOT NULL AND position_time IS NOT NULL`,
  })) as KnownLag | null;
  if (head === null || known === null) return;
  const at = { number: BigInt(known.number), timeMs: known.timeMs };
  const { lagSeconds } = lagOf(at, { named: head, known: null }, nowMs);
  if (!known.isAnyOld && (lagSeconds ?? -1) <= (known.noted ?? -1)) return;
  await statementsOf(db).$executeRaw`
    WITH forgotten AS (
      DELETE FROM chain_lag WHERE chain_name = ${chainName} AND at < now() - ${keptSamples}
    )
    INSERT INTO chain_lag (chain_name, at, seconds) VALUES (${chainName}, date_trunc('minute', now()), ${lagSeconds})
    ON CONFLICT (chain_name, at) DO UPDATE SET seconds = EXCLUDED.seconds WHERE chain_lag.seconds < EXCLUDED.seconds`;
}

type KnownLag = { number: number; timeMs: number; noted: number | null; isAnyOld: boolean };

/**
 * Reads a chain's lag in the last day: the most seconds of every ten minutes, oldest first. Ten
 * minutes without a sample are left out.
 * @throws Fault `chain_not_found`
 */
export async function readLagHistory(db: Database, chainName: string): Promise<LagSample[]> {
  await requireChain(db, chainName);
  return statementsOf(db).$queryRaw<LagSample[]>`
    SELECT ${tenMinutesOfSample} AS at, max(seconds)::int AS seconds
    FROM chain_lag WHERE chain_name = ${chainName} AND at > now() - interval '1 day' GROUP BY 1 ORDER BY 1`;
}

/**
 * Stores how each endpoint answered by its watcher's latest report, and how many deliveries wait.
 * Deletes samples older than a week. Of all calls in a minute the first one writes. Safe to repeat,
 * and for any number of processes.
 */
export async function noteSamples(db: Database): Promise<void> {
  // Deliveries are counted only if this call writes the minute's sample.
  await statementsOf(db).$executeRaw`
    WITH minute AS MATERIALIZED (
      SELECT m.at FROM (SELECT date_trunc('minute', now()) AS at) m
      WHERE NOT EXISTS (SELECT FROM outbox_sample s WHERE s.at = m.at)
    ), forgotten AS (
      DELETE FROM outbox_sample WHERE at < now() - ${keptSamples}
    ), forgotten_of_endpoints AS (
      DELETE FROM endpoint_sample s USING chain c WHERE s.chain_name = c.name AND s.at < now() - ${keptSamples}
    ), endpoints AS (
      INSERT INTO endpoint_sample (chain_name, at, name, latency_ms, failures)
      SELECT r.chain_name, minute.at, e.name, e."latencyMs", e.failures
      FROM minute CROSS JOIN chain_reading r
        CROSS JOIN LATERAL jsonb_to_recordset(r.reading -> 'endpoints') e (name text, "latencyMs" int, failures int)
      WHERE r.told_at > now() - interval '1 minute'
      ON CONFLICT (chain_name, at, name) DO NOTHING
    )
    INSERT INTO outbox_sample (at, waiting, held)
    SELECT minute.at, q.waiting, q.held
    FROM minute CROSS JOIN LATERAL (
      SELECT (count(*) FILTER (WHERE x.active))::int AS waiting, (count(*) FILTER (WHERE NOT x.active))::int AS held
      FROM (
        SELECT COALESCE(w.is_active AND w.deleted_at IS NULL, false) AS active
        FROM ${waitingDeliveries} d LEFT JOIN webhook w ON w.id = d.webhook_id WHERE minute.at IS NOT NULL
      ) x
    ) q
    ON CONFLICT (at) DO NOTHING`;
}

/**
 * Reads how a chain's endpoints answered in the last day, oldest first. Every ten minutes have the
 * longest latency and the failed requests. A watcher that restarts counts its failures from zero.
 * Ten minutes without a report are left out.
 * @throws Fault `chain_not_found`
 */
export async function readEndpointHistory(
  db: Database,
  chainName: string,
): Promise<EndpointSample[]> {
  await requireChain(db, chainName);
  return statementsOf(db).$queryRaw<EndpointSample[]>`
    SELECT ${tenMinutesOfSample} AS at, name, max(latency_ms) AS "latencyMs",
      sum(CASE WHEN before IS NULL THEN 0 WHEN failures < before THEN failures ELSE failures - before END)::int AS failures
    FROM (
      SELECT at, name, latency_ms, failures, lag(failures) OVER (PARTITION BY name ORDER BY at) AS before
      FROM endpoint_sample WHERE chain_name = ${chainName} AND at > now() - interval '1 day'
    ) s GROUP BY 1, 2 ORDER BY 1, 2`;
}

/** @throws Fault `chain_not_found` */
async function requireChain(db: Database, name: string): Promise<void> {
  const chain = await reaching(() => modelsOf(db).chain.findUnique({ where: { name } }));
  if (chain === null) throw chainNotFound(name);
}
