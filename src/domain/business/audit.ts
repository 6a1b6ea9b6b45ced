import type { AuditPlace } from "../evidence/audit-chain.ts";
import type { Claim } from "./idempotency.ts";

/** Who does what only an operator may: by HTTP the admin token's name, on the command line the system's user. */
export type Actor = {
  name: string;
  /** `api`: a business itself; its name is then the key's id. `console`: a session of a business, by its id. */
  via: "http" | "cli" | "system" | "api" | "console";
  /** From where the request came; null where there was none. */
  address: string | null;
};

/** What the trail says of an action: on what, and what was asked for. */
export type AuditSubject = {
  /** What was acted on: an id, or a chain's name. */
  subject: string | null;
  /** What was asked for. Never a secret. */
  details: Record<string, unknown>;
};

/** One thing that an operator did. */
export type AuditEntry = AuditSubject & {
  id: string;
  at: Date;
  actor: Actor;
  /** noun.verb */
  action: string;
};

/**
 * What following the chain of hashes came to. `unchained` entries were made by a version without it, `archived` is the last one that is
 * in a file and no longer here.
 */
export type AuditVerdict =
  | { kind: "whole"; head: AuditPlace; archived: AuditPlace | null; unchained: number }
  | { kind: "broken"; seq: bigint; what: string; unchained: number };

/** Which entries are asked for; what is left out does not matter. */
export type AuditFilter = { actor?: string; action?: string; subject?: string };

/**
 * Does `work` in one transaction and records it as the operator's action: there is no action without its entry, and
 * no entry of an action that failed. `ledger` is bound to that transaction.
 */
export type Audited<Ledger> = <Output>(
  action: string,
  work: (ledger: Ledger) => Promise<{ output: Output; entry: AuditSubject }>,
) => Promise<Output>;

/** The same for a business: by whichever of its keys it acts, or in the console by which session. */
export type AuditedFor<Ledger> = (by: {
  businessId: string;
  keyId: string;
  /** Null: by a key. */
  sessionId: string | null;
  address: string;
  /** Of a request with an Idempotency-Key: what it does is then done once. */
  claim: Claim | null;
}) => Audited<Ledger>;
