import type {
  Actor,
  AuditEntry,
  Audited,
  AuditFilter,
  AuditSubject,
} from "../../domain/business/audit.ts";
import { idAt } from "../../domain/id.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { Prisma } from "../generated/client.ts";
import { type Database, inTransaction, reaching, type Tx } from "../postgres/database.ts";
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
      await record(tx, trail.by, { action, ...entry });
      return output;
    });
}

/** Puts on record what somebody tried and was refused, or what has no function of the ledger. */
export async function recordAudit(
  db: Database,
  by: Actor,
  entry: AuditSubject & { action: string },
): Promise<void> {
  await inTransaction(db, (tx) => record(tx, by, entry));
}

async function record(
  tx: Tx,
  { name: actor, via, address }: Actor,
  { action, subject, details }: AuditSubject & { action: string },
): Promise<void> {
  const json = details as Prisma.InputJsonObject;
  const data = { id: idAt(Date.now()), actor, via, address, action, subject, details: json };
  await tx.auditEntry.create({ data });
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
  address: string | null;
  via: string;
  details: Prisma.JsonValue;
};

function toEntry({ actor, via, address, details, ...row }: Row): AuditEntry {
  return {
    ...row,
    actor: { name: actor, via: via as Actor["via"], address },
    details: details as Record<string, unknown>,
  };
}
