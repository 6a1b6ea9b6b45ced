import type { LedgerStatement, StatedBalance } from "../../domain/evidence/attestation.ts";
import type { SealHead } from "../../domain/evidence/ledger-check.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot } from "../postgres/transaction.ts";
import { balancesAtSql, readConfirmed } from "./balances-at.ts";

/**
 * The height up to which a chain is confirmed.
 * @throws Fault `chain_not_found`, `state_unavailable`
 */
export function readConfirmedHeight(db: Database, chainName: string): Promise<bigint> {
  return inSnapshot(db, async (tx) => (await readConfirmed(tx, chainName)).confirmedNumber);
}

type Row = Omit<StatedBalance, "amountAtomic"> & { amount: string | null };

const columns = Prisma.sql`
  w.business_id AS "businessId", w.id AS "walletId", w.address, a.address AS "assetAddress",`;

/** Of a wallet `w`: it was watched at a block, or begins after it. */
function isWatchedAt(number: bigint): Prisma.Sql {
  return Prisma.sql`(w.removed_at IS NULL OR EXISTS (
    SELECT 1 FROM watch_change g WHERE g.id = w.removed_change_id AND g.position_number > ${number}))`;
}

/**
 * Reads the ledger's balances at a confirmed block, of every wallet that was watched then or of one
 * business's. A wallet that has ended since is included. The end of the chain's journal is with
 * them. One snapshot.
 */
export async function readStatement(
  db: Database,
  asked: { chainName: string; number: bigint; businessId: string | null },
): Promise<LedgerStatement> {
  const { chainName, number, businessId } = asked;
  return inSnapshot(db, async (tx) => {
    const chain = await tx.chain.findUniqueOrThrow({ where: { name: chainName } });
    const block = await tx.block.findUnique({ where: { chainName_number: { chainName, number } } });
    const heads = await tx.$queryRaw<SealHead[]>`
      SELECT chain_name AS "chainName", number, hash FROM ledger_seal
      WHERE chain_name = ${chainName} ORDER BY number DESC LIMIT 1`;
    const ofBusiness =
      businessId === null ? Prisma.empty : Prisma.sql`AND w.business_id = ${businessId}::uuid`;
    const rows = await tx.$queryRaw<Row[]>`
      ${balancesAtSql(number, columns)}
      WHERE w.chain_name = ${chainName} AND ${isWatchedAt(number)} AND a.configured ${ofBusiness}
      ORDER BY w.business_id, w.id, a.address <> 'native', a.id`;
    const balances = rows.flatMap(({ amount, ...row }) =>
      amount === null ? [] : [{ ...row, amountAtomic: BigInt(amount) }],
    );
    return {
      chainName,
      evmChainId: chain.evmChainId,
      hash: block?.hash ?? null,
      head: heads[0] ?? null,
      balances,
      unknown: rows.length - balances.length,
    };
  });
}
