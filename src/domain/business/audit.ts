import type { ActorVia, AuditFault, AuditPlace } from "../evidence/audit-chain.ts";
import type { Claim } from "./idempotency.ts";

/**
 * The actor of a recorded change. For an operator, `name` is the admin token's name, or on the
 * command line the system's user.
 */
export type Actor = {
  name: string;
  via: ActorVia;
  /** The IP address of the request; null: there was no request. */
  address: string | null;
};

/** The object of an action, and its details, as the audit trail stores them. */
export type AuditSubject = {
  /** The object of the action: an id, or a chain's name. */
  subject: string | null;
  /** The details that were asked for. Never a secret. */
  details: Record<string, unknown>;
};

/** One recorded action, and its actor. */
export type AuditEntry = AuditSubject & {
  id: string;
  at: Date;
  actor: Actor;
  /**
   * A name for the actor, shown to operators only. For a key: its label or prefix. For a session:
   * the key, or the maker of the link, with which it began. Null: `actor` is a name already, or
   * nothing more is known.
   */
  actorName: string | null;
  /** The action, as noun.verb. */
  action: string;
};

/**
 * The result of checking the chain of hashes. `unchained`: how many entries wait for their place.
 * `inserted`: ids of entries that Chainbell did not write, at most twenty. `archived`: the last
 * entry that is in a file and no longer in the database.
 */
export type AuditVerdict = { unchained: number; inserted: readonly string[] } & (
  | { kind: "whole"; head: AuditPlace; archived: AuditPlace | null }
  | { kind: "broken"; seq: bigint; fault: AuditFault }
);

/** The wanted entries. A field that is left out matches everything. */
export type AuditFilter = {
  actor?: string;
  action?: string;
  subject?: string;
  /** The business that an entry is about. */
  businessId?: string;
  /** Written at or after `from`, and before `to`. */
  from?: Date;
  to?: Date;
};

/**
 * Runs `work` in one transaction, and records it as the operator's action. An action never lacks
 * its entry, and a failed action has none. `ledger` is bound to that transaction.
 */
export type Audited<Ledger> = <Output>(
  action: string,
  work: (ledger: Ledger) => Promise<{ output: Output; entry: AuditSubject }>,
) => Promise<Output>;

/** The same for a business, which acts by one of its keys, or in the console by a session. */
export type AuditedFor<Ledger> = (by: {
  businessId: string;
  keyId: string;
  /** The session that acts; null: a key acts. */
  sessionId: string | null;
  address: string;
  /**
   * The claim of a request with an Idempotency-Key, which makes its work happen once; null: it has
   * none.
   */
  claim: Claim | null;
}) => Audited<Ledger>;
