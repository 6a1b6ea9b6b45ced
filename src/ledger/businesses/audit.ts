import type { Actor, AuditEntry, Audited, AuditFilter } from "../../domain/business/audit.ts";
import { idAt } from "../../domain/id.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { Prisma } from "../generated/client.ts";
import { type Database, inTransaction, reaching } from "../postgres/database.ts";
import { pageQuery } from "../postgres/page-query.ts";

/**
 * Records what an operator does, for `audited` of domain/business/audit.ts.
 * @param bindTo the ledger for one transaction; its functions join that transaction
 */
export function auditedIn<Ledger>(
  trail: { db: Database; by: Actor },
  bindTo: (db: Database) => Ledger,
): Audited<Ledger> {
  return (action, work) =>
    inTransaction(trail.db, async (tx) => {
      const { output, entry } = await work(bindTo(tx as Database));
      const { name: actor, via } = trail.by;
      const details = entry.details as Prisma.InputJsonObject;
      const data = { id: idAt(Date.now()), actor, via, action, subject: entry.subject, details };
      await tx.auditEntry.create({ data });
      return output;
    });
}

/** Newest first. */
export async function listAudit(
  db: Database,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditEntry>> {
  const rows = await reaching(() => db.auditEntry.findMany(pageQuery(filter, page)));
  return toPage(rows.map(toEntry), page.limit);
}

type Row = Omit<AuditEntry, "actor" | "details"> & {
  actor: string;
  via: string;
  details: Prisma.JsonValue;
};

function toEntry({ actor, via, details, ...row }: Row): AuditEntry {
  return {
    ...row,
    actor: { name: actor, via: via as Actor["via"] },
    details: details as Record<string, unknown>,
  };
}
