import type {
  ChainHeights,
  ChainStatus,
  LedgerStatus,
  OutboxStatus,
} from "../../domain/chain/chain-status.ts";
import { isOfThePast } from "../../domain/chain/confirmation.ts";
import { fingerprintOf } from "../../domain/derived-id.ts";
import { Fault } from "../../domain/fault.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { prepared } from "../postgres/statement.ts";
import { readRows } from "../postgres/statements.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";
import { toHead, toReading } from "./chain-reading.ts";
import { lagOf } from "./lag.ts";

type Counts = Pick<
  ChainStatus,
  | "unproven"
  | "openingsAnswered"
  | "histories"
  | "discrepancies"
  | "differsSince"
  | "assetCodes"
  | "leftAssets"
  | "openingAssets"
>;

type ChainRow = Counts &
  Pick<ChainStatus, "position" | "confirmed" | "reconciledAt" | "agreed"> & {
    name: string;
    positionTime: Date | null;
    known: bigint | null;
    stoppedCode: string | null;
    stoppedReason: string | null;
    stoppedAt: Date | null;
    reading: unknown;
    reportedAt: Date | null;
  };

/**
 * One row for each chain. Each repeats the facts of the whole ledger. Without a chain there is one
 * row with only those.
 */
type StatusRow = OutboxStatus & { idKey: Uint8Array } & (ChainRow | { name: null });

/**
 * Reads the state of all chains and of the outbox in one statement, so all is of one moment.
 * `nowMs` is in ms since the epoch. Scrapes of /metrics and open pages of the console call this all
 * the time, so it must stay cheap.
 */
export async function readStatus(db: Database, nowMs: number): Promise<LedgerStatus> {
  const rows = await readRows<StatusRow>(db, statusStatement);
  const [first] = rows;
  if (first === undefined) throw new Fault("invariant_broken", "The ledger has no installation.");
  const { waiting, held, oldestWaitingAt, lateSince, idKey } = first;
  return {
    chains: rows.flatMap((row) => (row.name === null ? [] : toStatus(row, nowMs))),
    outbox: { waiting, held, oldestWaitingAt, lateSince },
    idKey: fingerprintOf(idKey),
  };
}

/** Selects the codes of all assets of a chain `c`. */
const assetCodes = Prisma.sql`ARRAY(SELECT a.code FROM asset a WHERE a.chain_name = c.name ORDER BY a.code) AS "assetCodes"`;

/**
 * Since when the longest delivery has been due, for which its receiver is not to blame. A webhook
 * that has had a success since then is busy with earlier ones. Webhooks that have failed since
 * their last success are left out.
 */
const lateSince = Prisma.sql`(
  SELECT min(greatest(x.due_at, w.last_success_at)) FROM (
    SELECT webhook_id, min(due_at) AS due_at FROM (
      SELECT webhook_id, due_at FROM due_delivery
      UNION ALL SELECT webhook_id, due_at FROM delivery WHERE claim_token IS NOT NULL AND status = 'waiting'
    ) q WHERE due_at <= now() GROUP BY webhook_id
  ) x JOIN webhook w ON w.id = x.webhook_id AND w.deleted_at IS NULL AND w.is_active AND w.failing_since IS NULL
    JOIN business b ON b.id = w.business_id AND b.suspended_at IS NULL)`;

/**
 * Partial indexes count the waiting transactions and histories, and the openings that one endpoint
 * alone answered. Two indexes count waiting deliveries. So the table of deliveries, which are
 * mostly delivered, is not read.
 */
const statusStatement = Prisma.sql`
  SELECT i.id_key AS "idKey", o.*, c.name, c.position_number AS position, c.position_time AS "positionTime",
    c.head_number AS known, c.confirmed_number AS confirmed, c.stopped_code AS "stoppedCode",
    c.stopped_reason AS "stoppedReason", c.stopped_at AS "stoppedAt", r.reading, r.told_at AS "reportedAt",
    f.finished_at AS "reconciledAt", f.agreed_number AS agreed, (
      SELECT count(*)::int FROM discrepancy d WHERE d.chain_name = c.name
    ) AS discrepancies, (
      SELECT min(d.found_at) FROM discrepancy d WHERE d.chain_name = c.name
    ) AS "differsSince", ${assetCodes}, ARRAY(
      SELECT a.code FROM asset a
      WHERE a.chain_name = c.name AND a.configured AND a.left_at IS NOT NULL ORDER BY a.code
    ) AS "leftAssets", (
      SELECT coalesce(jsonb_agg(jsonb_build_object(
        'assetCode', a.code, 'wallets', a.opening_wallets, 'opened', a.opened_wallets) ORDER BY a.code), '[]')
      FROM asset a WHERE a.chain_name = c.name AND a.configured AND a.opening_after IS NOT NULL
    ) AS "openingAssets", (
      SELECT count(*)::int FROM transaction t
      WHERE t.chain_name = c.name AND t.unproven AND t.status = 'pending' AND NOT t.orphaned
    ) AS unproven, (
      SELECT count(*)::int FROM balance b JOIN asset a ON a.id = b.asset_id
      WHERE b.opening_proof = 'answered' AND a.chain_name = c.name
    ) AS "openingsAnswered", (
      SELECT count(*)::int FROM history h JOIN wallet w ON w.id = h.wallet_id AND w.removed_at IS NULL
      WHERE h.verdict IS NULL AND w.chain_name = c.name
    ) AS histories
  FROM installation i
  CROSS JOIN (
    SELECT (count(*) FILTER (WHERE active))::int AS waiting, (count(*) FILTER (WHERE NOT active))::int AS held,
      min(created_at) FILTER (WHERE active) AS "oldestWaitingAt", ${lateSince} AS "lateSince"
    FROM (
      SELECT d.created_at, COALESCE(w.is_active AND w.deleted_at IS NULL, false) AS active
      FROM ${waitingDeliveries} d LEFT JOIN webhook w ON w.id = d.webhook_id
    ) x
  ) o
  LEFT JOIN chain c ON true
  LEFT JOIN chain_reading r ON r.chain_name = c.name
  LEFT JOIN reconciliation f ON f.chain_name = c.name
  ORDER BY c.name`;

function toStatus(row: ChainRow, nowMs: number): ChainStatus {
  const { position, positionTime, known, stoppedCode: code, reportedAt } = row;
  const reading = row.reading === null ? null : toReading(row.reading);
  const at =
    position === null || positionTime === null
      ? null
      : { number: position, timeMs: positionTime.getTime() };
  return {
    name: row.name,
    position,
    positionTime,
    ...lagOf(at, { named: reading?.head ?? null, known }, nowMs),
    confirmed: row.confirmed,
    stopped: code === null ? null : { code, reason: row.stoppedReason ?? "", since: row.stoppedAt },
    reading: reading === null || reportedAt === null ? null : { ...reading, reportedAt },
    discrepancies: row.discrepancies,
    differsSince: row.differsSince,
    assetCodes: row.assetCodes,
    leftAssets: row.leftAssets,
    openingAssets: row.openingAssets,
    unproven: row.unproven,
    openingsAnswered: row.openingsAnswered,
    histories: row.histories,
    reconciledAt: row.reconciledAt,
    agreed: row.agreed,
  };
}

type Heights = Pick<
  ChainHeights,
  "name" | "chainId" | "position" | "confirmed" | "assetCodes" | "nativeAsset" | "isStopped"
> & { time: Date | null; known: bigint | null; head: unknown; heldThing: string | null };

/**
 * Reads the height and lag of each chain, by name, without anything that only an operator may see.
 * `nowMs` is in ms since the epoch. Open pages of the console ask every few seconds. So of the
 * watcher's report it reads only `head`, and which thing is held.
 */
export async function readChainHeights(db: Database, nowMs: number): Promise<ChainHeights[]> {
  const rows = await readRows<Heights>(
    db,
    Prisma.sql`${prepared}
      SELECT c.name, c.evm_chain_id AS "chainId", c.position_number AS position, c.position_time AS time,
        c.head_number AS known, c.confirmed_number AS confirmed, c.stopped_code IS NOT NULL AS "isStopped",
        r.reading -> 'head' AS head, r.reading #>> '{held,what}' AS "heldThing", (
          SELECT min(a.code) FROM asset a WHERE a.chain_name = c.name AND a.address = 'native' AND a.configured
        ) AS "nativeAsset", ${assetCodes}
      FROM chain c LEFT JOIN chain_reading r ON r.chain_name = c.name ORDER BY c.name`,
  );
  return rows.map(({ time, known, head, heldThing, ...row }) => {
    const { position } = row;
    const at =
      position === null || time === null ? null : { number: position, timeMs: time.getTime() };
    const lag = lagOf(at, { named: toHead(head), known }, nowMs);
    const isHeld = heldThing !== null && !isOfThePast({ what: heldThing });
    return { ...row, isHeld, head: lag.head, lagSeconds: lag.lagSeconds };
  });
}
