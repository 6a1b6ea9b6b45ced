import type { StatementFilter } from "../../domain/evidence/account-statement.ts";
import { chainNotFound, requireFound } from "../../domain/not-found.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { requireAssets } from "../transactions/read-transactions.ts";

/**
 * Refuses a filter that names something unknown. Otherwise it would give a signed statement of
 * nothing.
 * @throws Fault `wallet_not_found`, `chain_not_found`, `invalid_request`
 */
export async function requireNamed(
  db: Database,
  businessId: string,
  { walletId, chainName, assetCode }: StatementFilter,
): Promise<void> {
  const { wallet, chain } = modelsOf(db);
  if (walletId !== undefined) {
    const where = { id: walletId, businessId };
    requireFound(await reaching(() => wallet.findFirst({ where })), "wallet_not_found");
  }
  if (chainName !== undefined) {
    const found = await reaching(() => chain.findUnique({ where: { name: chainName } }));
    if (found === null) throw chainNotFound(chainName);
  }
  if (assetCode !== undefined)
    await requireAssets(db, {
      assetCode,
      ...(chainName === undefined ? {} : { chainName }),
    });
}

/**
 * A filter's conditions on an asset `a` and a wallet `w`, each with AND before it. The chain is not
 * included.
 */
export function conditionsOf(filter: StatementFilter): Prisma.Sql[] {
  const { assetCode } = filter;
  const ofAsset = assetCode === undefined ? [] : [Prisma.sql`AND a.code = ${assetCode}`];
  return [...walletConditionsOf(filter), ...ofAsset];
}

/** Those of the conditions that are on a wallet `w`. */
export function walletConditionsOf(filter: StatementFilter): Prisma.Sql[] {
  const { walletId, label, referencePrefix } = filter;
  const given: (Prisma.Sql | null)[] = [
    walletId === undefined ? null : Prisma.sql`AND w.id = ${walletId}::uuid`,
    label === undefined ? null : Prisma.sql`AND w.label = ${label}`,
    referencePrefix === undefined
      ? null
      : Prisma.sql`AND starts_with(w.reference, ${referencePrefix})`,
  ];
  return [Prisma.empty, ...given.filter((one) => one !== null)];
}
