import type {
  Actor,
  AuditEntry,
  Audited,
  AuditFilter,
  AuditSubject,
} from "../../domain/business/audit.ts";
import type { Claim } from "../../domain/business/idempotency.ts";
import { sessionIn } from "../../domain/console/session.ts";
import { isSigned, macOf, type SignedEntry } from "../../domain/evidence/audit-chain.ts";
import { idAt, isId } from "../../domain/id.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { pageQuery } from "../postgres/page-query.ts";
import { reaching } from "../postgres/reaching.ts";
import { inTransaction, inTransactionOf, type Tx } from "../postgres/transaction.ts";
import { auditKeyOf, readBefore } from "./audit-key.ts";
import { markDone } from "./idempotency-keys.ts";

/**
 * Makes `audited` of domain/business/audit.ts for one actor. A change, its entry in the audit trail
 * and its idempotency claim are committed in one transaction.
 * @param trail.businessId the business that every change is about; null: each entry names its own
 * @param trail.claim the claim of a request with an Idempotency-Key, else null. If another request
 *   took the claim over, the change throws Fault `idempotency_key_in_use` and is undone
 * @param bindTo the functions of the ledger that the change may call, bound to the transaction
 */
export function auditedIn<Ledger>(
  trail: { db: Database; by: Actor; businessId: string | null; claim: Claim | null },
  bindTo: (tx: Tx) => Ledger,
): Audited<Ledger> {
  return (action, work) =>
    inTransactionOf(trail.db, trail.businessId === null ? "maintenance" : "request", async (tx) => {
      const { output, entry } = await work(bindTo(tx));
      await record(tx, trail, { action, ...entry });
      if (trail.claim !== null) await markDone(tx, trail.claim);
      return output;
    });
}

/**
 * Adds an entry to the audit trail in a transaction of its own. It is for refused attempts, and for
 * actions that are no function of the ledger.
 */
export async function recordAudit(
  db: Database,
  by: Actor,
  entry: AuditSubject & { action: string },
): Promise<void> {
  await inTransaction(db, (tx) => record(tx, { db, by, businessId: null }, entry));
}

/**
 * Adds an entry to the audit trail in the transaction of the change, signed by the installation's
 * key. `chainAudit` gives the entry its place in the chain later, so no request waits for the entry
 * of another.
 */
export async function record(
  tx: Tx,
  trail: { db: Database; by: Actor; businessId: string | null },
  { action, subject, details }: AuditSubject & { action: string },
): Promise<void> {
  const { name: actor, via, address } = trail.by;
  const at = new Date();
  // JSON drops undefined fields. Here they are dropped before hashing too, so that the stored entry
  // has the same hash.
  const json = JSON.parse(JSON.stringify(details)) as Prisma.JsonObject;
  const businessId = trail.businessId ?? businessIn(action, subject, json);
  const who = { id: idAt(at.getTime()), at, actor, via, address, businessId };
  const entry = { ...who, action, subject, details: json };
  const mac = macOf(auditKeyOf(trail.db), entry);
  await tx.auditEntry.create({
    data: { ...entry, mac, details: json as Prisma.InputJsonObject },
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

/**
 * The entries about one business that Chainbell wrote, newest first.
 */
export async function readAudit(
  db: Database,
  businessId: string,
  page: PageRequest,
): Promise<Page<AuditEntry>> {
  const { rows, nextCursor } = await readPage(db, { businessId }, page, async () => new Map());
  return { rows: rows.filter(({ actor }) => actor.via !== "sql"), nextCursor };
}

/**
 * The entries of the trail, newest first. An entry without a right MAC is shown without an actor,
 * since Chainbell did not write it.
 */
export async function listAudit(
  db: Database,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditEntry>> {
  return readPage(db, filter, page, (rows) => actorNamesOf(db, rows));
}

async function readPage(
  db: Database,
  { from, to, ...filter }: AuditFilter,
  page: PageRequest,
  readNames: (rows: readonly Acted[]) => Promise<ReadonlyMap<string, string>>,
): Promise<Page<AuditEntry>> {
  return reaching(async () => {
    const rows = await modelsOf(db).auditEntry.findMany(pageQuery(filter, page, { from, to }));
    const isOurs = await createIsOurs(db, rows);
    const names = await readNames(rows);
    return toPage(
      rows.map((row) => toEntry(row, isOurs(row), names)),
      page.limit,
    );
  });
}

/**
 * Answers a function that says whether Chainbell wrote an entry. Such an entry is signed by the
 * key, or from before there was a key.
 */
async function createIsOurs(
  db: Database,
  rows: readonly SignedEntry[],
): Promise<(row: SignedEntry) => boolean> {
  const key = auditKeyOf(db);
  const unsigned = rows.filter(({ mac }) => mac === null).map(({ id }) => id);
  const models = modelsOf(db);
  const before = unsigned.length === 0 ? null : await readBefore(models, key);
  const old =
    before === null
      ? []
      : await models.auditPlace.findMany({
          where: { entryId: { in: unsigned }, seq: { lte: before.seq } },
        });
  const oldIds = new Set(old.map(({ entryId }) => entryId));
  return (row) => oldIds.has(row.id) || isSigned(key, row);
}

/** The part of a row that names its actor. */
type Acted = { actor: string; via: string };

type Row = Omit<AuditEntry, "actor" | "actorName" | "details"> & {
  actor: string;
  address: string | null;
  via: string;
  details: Prisma.JsonValue;
};

const nobody: Actor = { name: "unknown", via: "sql", address: null };

/**
 * The names of actors that the trail knows by an id only. Those are keys and sessions. A session
 * has the name of the key or person behind it, or behind its link.
 */
async function actorNamesOf(
  db: Database,
  rows: readonly Acted[],
): Promise<ReadonlyMap<string, string>> {
  const idsVia = (wanted: string) => [
    ...new Set(rows.flatMap(({ actor, via }) => (via === wanted && isId(actor) ? [actor] : []))),
  ];
  const models = modelsOf(db);
  const sessions = await readSessions(models, idsVia("console"));
  const keyIds = [...idsVia("api"), ...[...sessions.values()].flatMap(({ keyId }) => keyId ?? [])];
  const keys =
    keyIds.length === 0
      ? []
      : await models.apiKey.findMany({
          where: { id: { in: keyIds } },
          select: { id: true, label: true, prefix: true },
        });
  const names = new Map(keys.map(({ id, label, prefix }) => [id, label ?? prefix]));
  const nameOf = (id: string): string | undefined => {
    const session = sessions.get(id);
    if (session === undefined) return undefined;
    if (session.keyId !== null) return names.get(session.keyId);
    const maker = sessionIn(session.holder);
    return maker === null ? session.holder : nameOf(maker);
  };
  for (const id of sessions.keys()) {
    const name = nameOf(id);
    if (name !== undefined) names.set(id, name);
  }
  return names;
}

type Begun = { holder: string; keyId: string | null };

/** The sessions with these ids, and those that made the links that began them. */
async function readSessions(
  models: ReturnType<typeof modelsOf>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Begun>> {
  const found = new Map<string, Begun>();
  for (let wanted = [...ids]; wanted.length > 0; ) {
    const rows = await models.consoleSession.findMany({
      where: { id: { in: wanted } },
      select: { id: true, holder: true, keyId: true },
    });
    for (const { id, ...begun } of rows) found.set(id, begun);
    // A link is made before the session that it begins, so this ends.
    wanted = rows.flatMap(({ holder, keyId }) => (keyId === null ? (sessionIn(holder) ?? []) : []));
  }
  return found;
}

function toEntry(row: Row, isOurs: boolean, names: ReadonlyMap<string, string>): AuditEntry {
  const { id, at, action, subject, actor, via, address, details } = row;
  return {
    id,
    at,
    action,
    subject,
    actor: isOurs ? { name: actor, via: via as Actor["via"], address } : nobody,
    actorName: isOurs ? (names.get(actor) ?? null) : null,
    details: details as Record<string, unknown>,
  };
}
