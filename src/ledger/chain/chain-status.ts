import type {
  ChainHeights,
  ChainStatus,
  LedgerStatus,
  OutboxStatus,
} from "../../domain/chain/chain-status.ts";
import { fingerprintOf } from "../../domain/derived-id.ts";
import { Prisma } from "../generated/client.ts";
import { type Database, inSnapshot, type Tx } from "../postgres/database.ts";
import { readRows } from "../postgres/read-rows.ts";
import { prepared } from "../postgres/statement.ts";
import { toHead, toReading } from "./chain-reading.ts";
import { lagOf } from "./lag.ts";

/** The state of every chain the ledger knows, and of what is still to be delivered. `now` is in ms since the epoch. */
export async function readStatus(db: Database, nowMs: number): Promise<LedgerStatus> {
  return inSnapshot(db, async (tx) => {
    const chains = await readChains(tx);
    const counts = await readCounts(tx);
    return {
      chains: chains.map((row) => toStatus(row, counts.get(row.name), nowMs)),
      outbox: await readOutbox(tx),
      idKey: fingerprintOf((await tx.installation.findFirstOrThrow()).idKey),
    };
  });
}

/** One relation a query: Prisma asks for several at once, and a transaction has one connection. */
async function readChains(tx: Tx) {
  const chains = await tx.chain.findMany({ orderBy: { name: "asc" }, include: { reading: true } });
  const finished = await tx.reconciliation.findMany();
  const reconciliations = new Map(finished.map((row) => [row.chainName, row]));
  return chains.map((row) => ({ ...row, reconciliation: reconciliations.get(row.name) ?? null }));
}

type ChainRow = Awaited<ReturnType<typeof readChains>>[number];

type Counts = {
  unproven: number;
  openingsAnswered: number;
  histories: number;
  discrepancies: number;
  leftAssets: string[];
};

/** By chain: what waits for something to be read, or was read of one endpoint. Each is counted by an index of just those. */
async function readCounts(tx: Tx): Promise<Map<string, Counts>> {
  const rows = await tx.$queryRaw<({ name: string } & Counts)[]>`
    SELECT name, (
        SELECT count(*)::int FROM discrepancy d WHERE d.chain_name = name
      ) AS discrepancies, ARRAY(
        SELECT a.code FROM asset a
        WHERE a.chain_name = name AND a.configured AND a.left_at IS NOT NULL ORDER BY a.code
      ) AS "leftAssets", (
        SELECT count(*)::int FROM transaction t
        WHERE t.chain_name = name AND t.unproven AND t.status = 'pending' AND NOT t.orphaned
      ) AS unproven, (
        SELECT count(*)::int FROM balance b JOIN asset a ON a.id = b.asset_id
        WHERE b.opening_proof = 'answered' AND a.chain_name = name
      ) AS "openingsAnswered", (
        SELECT count(*)::int FROM history h JOIN wallet w ON w.id = h.wallet_id AND w.removed_at IS NULL
        WHERE h.verdict IS NULL AND w.chain_name = name
      ) AS histories
    FROM chain`;
  return new Map(rows.map(({ name, ...counts }) => [name, counts]));
}

function toStatus(row: ChainRow, counts: Counts | undefined, nowMs: number): ChainStatus {
  const { positionNumber: position, positionTime, stoppedCode: code } = row;
  const reading = row.reading === null ? null : toReading(row.reading.reading);
  const at =
    position === null || positionTime === null
      ? null
      : { number: position, timeMs: positionTime.getTime() };
  const heads = { named: reading?.head ?? null, known: row.headNumber };
  return {
    name: row.name,
    position,
    positionTime,
    ...lagOf(at, heads, nowMs),
    confirmed: row.confirmedNumber,
    stopped: code === null ? null : { code, reason: row.stoppedReason ?? "", since: row.stoppedAt },
    reading:
      row.reading === null || reading === null
        ? null
        : { ...reading, reportedAt: row.reading.reportedAt },
    discrepancies: counts?.discrepancies ?? 0,
    leftAssets: counts?.leftAssets ?? [],
    unproven: counts?.unproven ?? 0,
    openingsAnswered: counts?.openingsAnswered ?? 0,
    histories: counts?.histories ?? 0,
    reconciledAt: row.reconciliation?.finishedAt ?? null,
    agreed: row.reconciliation?.agreedNumber ?? null,
  };
}

/** Each of the two indexes of what waits gives its part: the table, which is mostly of what was delivered, is not read. */
async function readOutbox(tx: Tx): Promise<OutboxStatus> {
  const rows = await tx.$queryRaw<OutboxStatus[]>`
    SELECT (count(*) FILTER (WHERE active))::int AS waiting, (count(*) FILTER (WHERE NOT active))::int AS held,
           min(created_at) FILTER (WHERE active) AS "oldestWaitingAt"
    FROM (
      SELECT d.created_at, COALESCE(w.is_active AND w.deleted_at IS NULL, false) AS active
      FROM (
        SELECT webhook_id, created_at FROM delivery WHERE status = 'waiting' AND attempts = 0
        UNION ALL SELECT webhook_id, created_at FROM delivery WHERE status = 'waiting' AND attempts > 0
      ) d LEFT JOIN webhook w ON w.id = d.webhook_id
    ) x`;
  return rows[0] ?? { waiting: 0, held: 0, oldestWaitingAt: null };
}

type Heights = Pick<
  ChainHeights,
  "name" | "chainId" | "position" | "confirmed" | "nativeAsset" | "isStopped" | "isHeld"
> & { time: Date | null; known: bigint | null; head: unknown };

/**
 * How far each chain is, by name, and nothing that is an operator's alone. `nowMs` is in ms since the epoch. Open pages of the console
 * ask it every few seconds: of what the watcher has reported only the head is read.
 */
export async function readChainHeights(db: Database, nowMs: number): Promise<ChainHeights[]> {
  const rows = await readRows<Heights>(
    db,
    Prisma.sql`${prepared}
      SELECT c.name, c.evm_chain_id AS "chainId", c.position_number AS position, c.position_time AS time,
        c.head_number AS known, c.confirmed_number AS confirmed, c.stopped_code IS NOT NULL AS "isStopped",
        r.reading -> 'head' AS head, COALESCE(r.reading -> 'held', 'null') <> 'null' AS "isHeld", (
          SELECT min(a.code) FROM asset a WHERE a.chain_name = c.name AND a.address = 'native' AND a.configured
        ) AS "nativeAsset"
      FROM chain c LEFT JOIN chain_reading r ON r.chain_name = c.name ORDER BY c.name`,
  );
  return rows.map(({ time, known, head, ...row }) => {
    const { position } = row;
    const at =
      position === null || time === null ? null : { number: position, timeMs: time.getTime() };
    const lag = lagOf(at, { named: toHead(head), known }, nowMs);
    return { ...row, head: lag.head, lagSeconds: lag.lagSeconds };
  });
}
