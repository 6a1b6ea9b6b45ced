import type { AdminScope } from "../domain/business/admin-scope.ts";
import type { Tag } from "../schema/tags.ts";

/**
 * The nouns of the verbs. Each is a word of the command line with its help, and a chapter of the
 * HTTP description. `scope`: what an admin token needs to change such a thing. Verbs that only read
 * need the scope `read`.
 */
export const nouns = {
  business: {
    help: "Customers of the service.",
    tag: "Administration: businesses",
    scope: "businesses",
  },
  key: {
    help: "API keys of businesses, and the installation's own keys.",
    tag: "Administration: API keys",
    scope: "businesses",
  },
  wallet: {
    help: "Addresses that are watched.",
    tag: "Administration: wallets",
    scope: "wallets",
  },
  transaction: {
    help: "Movements of money to and from wallets.",
    tag: "Administration: transactions",
    scope: "chains",
  },
  sighting: {
    help: "Transfers of tokens that are not configured.",
    tag: "Administration: sightings",
    scope: "chains",
  },
  chain: {
    help: "The chains that are watched.",
    tag: "Administration: chains",
    scope: "chains",
  },
  ledger: {
    help: "The ledger as evidence.",
    tag: "Administration: evidence",
    scope: "chains",
  },
  statement: {
    help: "Signed statements of businesses.",
    tag: "Administration: evidence",
    scope: "businesses",
  },
  audit: {
    help: "The audit trail: who did what, and when.",
    tag: "Administration: audit",
    scope: "chains",
  },
  webhook: {
    help: "Where businesses are notified.",
    tag: "Administration: webhooks",
    scope: "businesses",
  },
  installation: {
    help: "The processes and their database.",
    tag: "Administration: installation",
    scope: "chains",
  },
  alert: {
    help: "Alerts to the operator.",
    tag: "Administration: installation",
    scope: "chains",
  },
  notification: {
    help: "The notifications of businesses.",
    tag: "Administration: notifications",
    scope: "businesses",
  },
} as const satisfies Record<string, { help: string; tag: Tag; scope: AdminScope }>;

export type Noun = keyof typeof nouns;

/** The nouns of commands that only the command line has. */
const localNouns = {
  config: { help: "The configuration file." },
  block: { help: "One block of a chain, as a file." },
  close: { help: "Months that are closed, each in a folder." },
  credit: { help: "The credits of businesses, compared with the ledger." },
  restore: { help: "A database that was restored from a backup." },
  dev: { help: "Development mode." },
} as const;

export type CommandNoun = Noun | keyof typeof localNouns;

export function helpOf(noun: CommandNoun): string {
  return { ...nouns, ...localNouns }[noun].help;
}
