import type { ActorVia, AuditPlace } from "../evidence/audit-chain.ts";
import type { Claim } from "./idempotency.ts";

/**
 * The actor of a recorded change. Of an operator, `name` is the admin token's name by HTTP, and the
 * system's user on the command line.
 */
export type Actor = {
  name: string;
  via: ActorVia;
  /** The address from which the request came; null: there was no request. */
  address: string | null;
};

/** The object of an action and the details that were asked for, as the audit trail says them. */
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
   * Of a key its label or prefix, of a session the key or the maker of the link that it began with.
   * Null: the actor is named already, or nothing is known of it any more. For operators alone.
   */
  actorName: string | null;
  /** The action, as noun.verb. */
  action: string;
};

/**
 * The result of following the chain of hashes. `unchained` counts the entries that wait for their
 * place. `inserted` has the ids of entries that Chainbell did not write, at most twenty. `archived`
 * is the last entry that is in a file and no longer here.
 */
export type AuditVerdict = { unchained: number; inserted: readonly string[] } & (
  | { kind: "whole"; head: AuditPlace; archived: AuditPlace | null }
  | { kind: "broken"; seq: bigint; what: string }
);

/** The entries that are asked for. A field that is left out does not matter. */
export type AuditFilter = { actor?: string; action?: string; subject?: string };

/**
 * Does `work` in one transaction and records it as the operator's action. There is no action
 * without its entry, and no entry of an action that failed. `ledger` is bound to that transaction.
 */
export type Audited<Ledger> = <Output>(
  action: string,
  work: (ledger: Ledger) => Promise<{ output: Output; entry: AuditSubject }>,
) => Promise<Output>;

/** The same for a business, which acts by one of its keys or, in the console, by a session. */
export type AuditedFor<Ledger> = (by: {
  businessId: string;
  keyId: string;
  /** The session that acts; null: a key acts. */
  sessionId: string | null;
  address: string;
  /**
   * The claim of a request with an Idempotency-Key, whose work is then done once; null: it has no
   * key.
   */
  claim: Claim | null;
}) => Audited<Ledger>;
