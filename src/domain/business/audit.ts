/** Who does what only an operator may: by HTTP the admin token's name, on the command line the system's user. */
export type Actor = { name: string; via: "http" | "cli" | "system" };

/** One thing that an operator did. */
export type AuditEntry = {
  id: string;
  at: Date;
  actor: Actor;
  /** noun.verb */
  action: string;
  /** What was acted on: an id, or a chain's name. */
  subject: string | null;
  /** What was asked for. Never a secret. */
  details: Record<string, unknown>;
};

/** Which entries are asked for; what is left out does not matter. */
export type AuditFilter = { actor?: string; action?: string; subject?: string };
