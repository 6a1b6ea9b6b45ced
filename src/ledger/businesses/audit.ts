import type { Actor, AuditEntry, AuditFilter } from "../../domain/business/audit.ts";
import { idAt } from "../../domain/id.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { Prisma } from "../generated/client.ts";
import { type Database, inTransaction, reaching } from "../postgres/database.ts";
import { pageQuery } from "../postgres/page-query.ts";

/** What the trail says of an action: on what, and what was asked for. Never a secret. */
type AuditSubject = { subject: string | null; details: Record<string, unknown> };

/**
 * An operator's action that leaves an entry in the audit trail, in its own transaction: there is no action without
 * its entry, and no entry of an action that failed. `work` is given the transaction for its database and joins it.
 */
export function audited<Input extends unknown[], Output>(
  trail: { db: Database; by: Actor },
  action: string,
  act: {
    work: (db: Database, ...input: Input) => Promise<Output>;
    describe: (output: Output, ...input: Input) => AuditSubject;
  },
): (...input: Input) => Promise<Output> {
  return (...input) =>
    inTransaction(trail.db, async (tx) => {
      const output = await act.work(tx as Database, ...input);
      const { subject, details } = act.describe(output, ...input);
      const id = idAt(Date.now());
      const { name: actor, via } = trail.by;
      const data = { id, actor, via, action, subject, details: details as Prisma.InputJsonObject };
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
