import type {
  Actor,
  AuditEntry,
  Audited,
  AuditFilter,
  AuditSubject,
} from "../../domain/business/audit.ts";
import type { Claim } from "../../domain/business/idempotency.ts";
import { idAt, isId } from "../../domain/id.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { pageQuery } from "../postgres/page-query.ts";
import { reaching } from "../postgres/reaching.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { placeInChain } from "./audit-chain.ts";
import { markDone } from "./idempotency-keys.ts";

/**
 * Records what an operator does, for `audited` of domain/business/audit.ts.
 * @param trail.businessId whose business all of it is about; null: the entry says it
 * @param trail.claim of a request with an Idempotency-Key, else null. Throws Fault
 * `idempotency_key_in_use` where it was taken over
 * @param bindTo what may be done in one transaction
 */
export function auditedIn<Ledger>(
  trail: { db: Database; by: Actor; businessId: string | null; claim: Claim | null },
  bindTo: (tx: Tx) => Ledger,
): Audited<Ledger> {
  return (action, work) =>
    inTransaction(trail.db, async (tx) => {
      const { output, entry } = await work(bindTo(tx));
      await record(tx, trail, { action, ...entry });
      if (trail.claim !== null) await markDone(tx, trail.claim);
      return output;
    });
}

/** Puts on record what somebody tried and was refused, or what has no function of the ledger. */
export async function recordAudit(
  db: Database,
  by: Actor,
  entry: AuditSubject & { action: string },
): Promise<void> {
  await inTransaction(db, (tx) => record(tx, { by, businessId: null }, entry));
}

/** Puts on record what is done in a transaction. */
export async function record(
  tx: Tx,
  trail: { by: Actor; businessId: string | null },
  { action, subject, details }: AuditSubject & { action: string },
): Promise<void> {
  const { name: actor, via, address } = trail.by;
  const at = new Date();
  // As it will be read again: what JSON leaves out is left out of the hash, too.
  const json = JSON.parse(JSON.stringify(details)) as Prisma.JsonObject;
  const businessId = trail.businessId ?? businessIn(action, subject, json);
  const who = { id: idAt(at.getTime()), at, actor, via, address, businessId };
  const entry = { ...who, action, subject, details: json };
  const place = await placeInChain(tx, entry);
  await tx.auditEntry.create({
    data: { ...entry, ...place, details: json as Prisma.InputJsonObject },
  });
}

/** The business that an operator's entry names, where the entry names one. */
function businessIn(
  action: string,
  subject: string | null,
  { businessId }: Prisma.JsonObject,
): string | null {
  if (typeof businessId === "string") return businessId;
  return action.startsWith("business.") && subject !== null && isId(subject) ? subject : null;
}

/** The entries about one business, newest first. */
export async function readAudit(
  db: Database,
  businessId: string,
  page: PageRequest,
): Promise<Page<AuditEntry>> {
  const rows = await reaching(() =>
    modelsOf(db).auditEntry.findMany(pageQuery({ businessId }, page)),
  );
  return toPage(rows.map(toEntry), page.limit);
}

/** Newest first. */
export async function listAudit(
  db: Database,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditEntry>> {
  const rows = await reaching(() => modelsOf(db).auditEntry.findMany(pageQuery(filter, page)));
  return toPage(rows.map(toEntry), page.limit);
}

type Row = Omit<AuditEntry, "actor" | "details"> & {
  actor: string;
  address: string | null;
  via: string;
  details: Prisma.JsonValue;
};

function toEntry({ id, at, action, subject, actor, via, address, details }: Row): AuditEntry {
  return {
    id,
    at,
    action,
    subject,
    actor: { name: actor, via: via as Actor["via"], address },
    details: details as Record<string, unknown>,
  };
}
