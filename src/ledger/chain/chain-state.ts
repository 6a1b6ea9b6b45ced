import type { BlockHeader, Hash, Position } from "../../domain/chain/block.ts";
import type {
  ChainStart,
  ChainState,
  FoundState,
  StartWait,
  WaitingWork,
} from "../../domain/chain/chain-state.ts";
import { Fault, type FaultCode } from "../../domain/fault.ts";
import { chainNotFound } from "../../domain/not-found.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { ask } from "../postgres/shared-statement.ts";
import { prepared } from "../postgres/statement.ts";
import { type Statements, statementsOf, type TxStatements } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { isUnread } from "../postgres/unread-balances.ts";

const chainColumns = Prisma.sql`
  name, genesis_hash AS "genesisHash", position_number AS "positionNumber", position_hash AS "positionHash",
  confirmed_number AS "confirmedNumber", settle_number AS "settleNumber", watch_version AS "watchVersion",
  undos, stopped_code AS "stoppedCode", stopped_reason AS "stoppedReason"`;

/**
 * For each kind of work, true if it waits. Each query reads the first entry of an index. ORDER BY
 * makes the planner use that index, also before the database has statistics.
 */
function waitingIn(chainName: string): Prisma.Sql {
  return Prisma.sql`
    (SELECT true FROM asset a CROSS JOIN LATERAL (
      SELECT 1 FROM balance b WHERE b.asset_id = a.id AND ${isUnread} ORDER BY b.wallet_id LIMIT 1
    ) unread WHERE a.chain_name = ${chainName} AND a.configured LIMIT 1) AS "opening",
    (SELECT true FROM asset WHERE chain_name = ${chainName} AND opening_after IS NOT NULL LIMIT 1) AS "making",
    (SELECT true FROM history WHERE chain_name = ${chainName} AND verdict IS NULL
      ORDER BY next_number, wallet_id LIMIT 1) AS "histories",
    (SELECT true FROM sighting WHERE chain_name = ${chainName} AND reported_at IS NULL AND NOT is_undone
      ORDER BY block_number LIMIT 1) AS "sightings",
    (SELECT true FROM transaction WHERE chain_name = ${chainName} AND unproven AND status = 'pending' AND NOT orphaned
      ORDER BY block_number LIMIT 1) AS "unproven"`;
}

type WaitingRow = Record<
  "opening" | "making" | Exclude<keyof WaitingWork, "openings">,
  true | null
>;

/**
 * Reads the chain's state, and which work waits besides new blocks, in one query.
 * @throws Fault `chain_not_found`
 */
export async function readChainState(db: Database, chainName: string): Promise<FoundState> {
  const answer = () => Prisma.sql`
    SELECT to_jsonb(found) FROM (
      SELECT ${chainColumns}, ${waitingIn(chainName)} FROM chain WHERE name = ${chainName}
    ) found`;
  const name = `state of ${chainName}`;
  const found = (await ask(db, { name, answer, isPrepared: true })) as FoundJson | null;
  const row = foundIn(found === null ? [] : [fromJson(found)], chainName);
  const waiting = {
    openings: row.opening === true || row.making === true,
    histories: row.histories === true,
    sightings: row.sightings === true,
    unproven: row.unproven === true,
  };
  return { ...toState(row), waiting };
}

/** A row as JSON, which has no bigint. A double holds each of these numbers exactly. */
type FoundJson = WaitingRow & {
  [Column in keyof ChainRow]: bigint extends ChainRow[Column]
    ? number | Exclude<ChainRow[Column], bigint>
    : ChainRow[Column];
};

function fromJson(found: FoundJson): ChainRow & WaitingRow {
  const bigintOf = (number: number | null) => (number === null ? null : BigInt(number));
  return {
    ...found,
    positionNumber: bigintOf(found.positionNumber),
    confirmedNumber: bigintOf(found.confirmedNumber),
    settleNumber: bigintOf(found.settleNumber),
    watchVersion: BigInt(found.watchVersion),
  };
}

/** Reads the state within the caller's transaction. @throws Fault `chain_not_found` */
export async function readChain(tx: Statements, chainName: string): Promise<ChainState> {
  const rows = await tx.$queryRaw<ChainRow[]>`
    ${prepared} SELECT ${chainColumns} FROM chain WHERE name = ${chainName}`;
  return toState(foundIn(rows, chainName));
}

/**
 * The state of a locked chain, with the key that ids are derived with (see transaction-row.ts).
 * `changeId`: the change that made the watch version; null: there is none.
 */
export type LockedChain = ChainState & { idKey: string; changeId: string | null };

/** The id of the change that made the watch version of a row of `chain`. */
export const lastChangeId = Prisma.sql`(
  SELECT w.id FROM watch_change w WHERE w.chain_name = chain.name AND w.version = chain.watch_version)`;

type ChainRow = Omit<ChainState, "position" | "stopped"> & {
  positionNumber: bigint | null;
  positionHash: Hash | null;
  stoppedCode: string | null;
  stoppedReason: string | null;
};

function foundIn<Row>([row]: readonly Row[], chainName: string): Row {
  if (row === undefined) throw chainNotFound(chainName);
  return row;
}

function toState(row: ChainRow): ChainState {
  const { positionNumber: number, positionHash: hash } = row;
  return {
    name: row.name,
    genesisHash: row.genesisHash,
    position: number === null || hash === null ? null : { number, hash },
    confirmedNumber: row.confirmedNumber,
    settleNumber: row.settleNumber,
    watchVersion: row.watchVersion,
    undos: row.undos,
    stopped:
      row.stoppedCode === null ? null : { code: row.stoppedCode, reason: row.stoppedReason ?? "" },
  };
}

/**
 * Reads the chain's row and locks it until the transaction ends. Only the holder of the lock moves
 * the position, the confirmed height or the watch version (docs/invariants.md#i1, #i4, #i5). It is
 * NO KEY UPDATE, so that others can still insert rows that refer to the chain.
 * @throws Fault `chain_not_found`
 */
export async function lockChain(tx: TxStatements, chainName: string): Promise<LockedChain> {
  const rows = await tx.$lockRaw<(ChainRow & Pick<LockedChain, "idKey" | "changeId">)[]>`
    ${prepared} SELECT ${chainColumns}, (SELECT encode(id_key, 'hex') FROM installation) AS "idKey",
      ${lastChangeId} AS "changeId"
    FROM chain WHERE name = ${chainName} FOR NO KEY UPDATE`;
  const row = foundIn(rows, chainName);
  return { ...toState(row), idKey: row.idKey, changeId: row.changeId };
}

/**
 * True if the new branch, ending at this height, is as high as the branch that a reorg took away.
 */
export function isSettlementDue(
  { settleNumber }: Pick<ChainState, "settleNumber">,
  number: bigint,
): boolean {
  return settleNumber !== null && number >= settleNumber;
}

/** As HeadLedger.readStartWait. */
export async function readStartWait(db: Database, chainName: string): Promise<StartWait | null> {
  const [row] = await statementsOf(db).$queryRaw<{ since: Date | null; now: Date }[]>`
    SELECT min(c.created_at) AS since, now() AS now FROM watch_change c
    WHERE c.chain_name = ${chainName} AND c.position_number IS NULL
      AND EXISTS (SELECT FROM wallet w WHERE w.added_change_id = c.id AND w.removed_at IS NULL)`;
  if (row === undefined || row.since === null) return null;
  return { sinceMs: row.since.getTime(), nowMs: row.now.getTime() };
}

/**
 * Gives a chain its first position. Everything at or below it is the past. `window` holds the
 * headers up to the position, so that a reorg of the first blocks finds its ancestor. Wallets and
 * assets that are watched already count from the position. No wallet has ended above it. Does
 * nothing if the chain has a position. Safe to repeat, and for any number of processes at once.
 */
export async function startChain(db: Database, start: ChainStart): Promise<void> {
  const { chainName, genesisHash, window, confirmedNumber } = start;
  const first = window.at(-1);
  if (first === undefined)
    throw new Fault("invariant_broken", "A chain starts with at least one header.");
  await inTransaction(db, async (tx) => {
    const state = await lockChain(tx, chainName);
    if (state.position !== null) return;
    await tx.chain.update({
      where: { name: chainName },
      data: {
        genesisHash,
        positionNumber: first.number,
        positionHash: first.hash,
        positionTime: new Date(first.timeMs),
        confirmedNumber: confirmedNumber < 0n ? 0n : confirmedNumber,
        headNumber: first.number,
      },
    });
    await tx.block.createMany({
      data: window.map((header) => toBlockRow(chainName, header)),
      skipDuplicates: true,
    });
    // After a reset, changes of ended wallets have heights of the chain that is gone.
    await tx.watchChange.updateMany({
      where: {
        chainName,
        OR: [{ positionNumber: null }, { positionNumber: { gt: first.number } }],
      },
      data: { positionNumber: first.number },
    });
  });
}

export function toBlockRow(chainName: string, header: BlockHeader) {
  const { number, hash, parentHash, timeMs } = header;
  return { chainName, number, hash, parentHash, time: new Date(timeMs) };
}

/**
 * Records why a chain is stopped; null: it goes on. This is for information only: the watcher
 * decides anew at each step. Safe to repeat.
 */
export async function markStopped(
  db: Database,
  chainName: string,
  why: { code: FaultCode; reason: string } | null,
): Promise<void> {
  const [code, reason] = [why?.code ?? null, why?.reason ?? null];
  await statementsOf(db).$executeRaw`
    UPDATE chain SET stopped_code = ${code}, stopped_reason = ${reason}, stopped_at = CASE
      WHEN ${code}::text IS NULL THEN NULL
      WHEN ${code} = stopped_code AND stopped_at IS NOT NULL THEN stopped_at
      ELSE now()
    END
    WHERE name = ${chainName}`;
}

/** The stored window, newest first. */
export async function readWindow(db: Database, chainName: string): Promise<Position[]> {
  const rows = await reaching(() =>
    modelsOf(db).block.findMany({
      where: { chainName },
      orderBy: { number: "desc" },
      select: { number: true, hash: true },
    }),
  );
  return rows.map((row) => ({ number: row.number, hash: row.hash as Hash }));
}

/** The stored hash of a height, or null where the window does not hold it. */
export async function readHash(
  db: Database,
  chainName: string,
  number: bigint,
): Promise<Hash | null> {
  const row = await reaching(() =>
    modelsOf(db).block.findUnique({ where: { chainName_number: { chainName, number } } }),
  );
  return row === null ? null : (row.hash as Hash);
}

/**
 * The highest stored block at or below the tip that is at least this many ms older. Null: there is
 * none.
 */
export async function readAgedHeight(
  db: Database,
  chainName: string,
  tip: Position & { timeMs: number | null },
  ageMs: number,
): Promise<bigint | null> {
  const time = tip.timeMs === null ? null : new Date(tip.timeMs);
  const rows = await statementsOf(db).$queryRaw<{ number: bigint }[]>`
    SELECT number FROM block WHERE chain_name = ${chainName} AND number <= ${tip.number} AND time <= COALESCE(
        ${time}::timestamptz, (SELECT time FROM block WHERE chain_name = ${chainName} AND number = ${tip.number})
      ) - ${ageMs} * interval '1 ms'
    ORDER BY number DESC LIMIT 1`;
  return rows[0]?.number ?? null;
}

/** The chain's position, or null before it has one. */
export async function readPosition(db: Database, chainName: string): Promise<Position | null> {
  return (await readChain(statementsOf(db), chainName)).position;
}
