import { fingerprintOf } from "../../domain/derived-id.ts";
import { requireFound } from "../../domain/not-found.ts";
import type { RecoveredChain, Recovery, RecoveryQuestion } from "../../domain/recovery.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot } from "../postgres/transaction.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";

/**
 * Reads the work that this database does not know to be done, and counts its notifications since a
 * moment. Reads only.
 * @throws Fault `business_not_found` if this database does not have the business
 */
export async function readRecovery(
  db: Database,
  { since, businessId }: RecoveryQuestion,
): Promise<Recovery> {
  const asked = businessId === null ? {} : { businessId };
  const isIts =
    businessId === null ? Prisma.empty : Prisma.sql`AND business_id = ${businessId}::uuid`;
  return inSnapshot(db, async (tx) => {
    if (businessId !== null)
      requireFound(
        await tx.business.findUnique({ where: { id: businessId } }),
        "business_not_found",
      );
    const { idKey, idKeyMadeAt } = await tx.installation.findFirstOrThrow();
    const older = await tx.business.findFirst({ where: { createdAt: { lt: idKeyMadeAt } } });
    const chains = await tx.$queryRaw<
      (Pick<RecoveredChain, "name" | "pending"> & { number: bigint | null; time: Date | null })[]
    >`
      SELECT c.name, c.position_number AS number, c.position_time AS time, (
          SELECT count(*)::int FROM transaction t
          WHERE t.chain_name = c.name AND t.status = 'pending' ${isIts}
        ) AS pending
      FROM chain c ORDER BY c.name`;
    const [waiting] = await tx.$queryRaw<Recovery["waiting"][]>`
      SELECT count(*)::int AS count, min(created_at) AS "oldestAt" FROM ${waitingDeliveries} d WHERE true ${isIts}`;
    return {
      idKey: fingerprintOf(idKey),
      idKeyMadeAt: older === null ? null : idKeyMadeAt,
      chains: chains.map(({ name, number, time, pending }) => ({
        name,
        position: number === null ? null : { number, time },
        pending,
      })),
      waiting: waiting ?? { count: 0, oldestAt: null },
      written: await tx.notification.count({ where: { ...asked, createdAt: { gte: since } } }),
    };
  });
}
