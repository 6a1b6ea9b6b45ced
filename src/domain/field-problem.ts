import { keysOf } from "./keys-of.ts";

/** The longest name, label or reference, in characters. */
export const maxTextLength = 200;

const plainText = `expected 1 to ${maxTextLength} characters, not blank, without control characters`;

/**
 * The ways in which a field of a request can break its rule. `rule`: that of a field without
 * further values, in the form for `fieldSentence`. Null: the rule names values, which travel beside
 * it.
 */
export const fieldProblems = {
  unknown_field: { description: "the request has no such field", rule: "unknown field" },
  text: { description: "the value is not a text", rule: "expected a text" },
  plain_text: {
    description: "the text is empty or too long, or has control characters",
    rule: plainText,
  },
  name_text: {
    description:
      "the text is empty or too long, or has control characters or ones that hide or turn text",
    rule: `${plainText} and without characters that hide or turn text`,
  },
  id: { description: "the value is not an id", rule: "expected a UUID" },
  hash: {
    description: "the value is not the hash of a transaction or block",
    rule: "expected 0x and 64 hexadecimal digits",
  },
  block: { description: "the value is not the number of a block", rule: "expected a block number" },
  not_reached: {
    description: "the block is after the last one of `chain`, `position`",
    rule: null,
  },
  not_started: { description: "`chain` has no block yet", rule: null },
  date: {
    description: "the value is neither an ISO 8601 date nor such a time",
    rule: "expected an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
  },
  time: {
    description: "the value is not a time with its zone",
    rule: "expected a time such as 2027-01-31T00:00:00Z",
  },
  network: {
    description: "a value is not a CIDR block",
    rule: "expected CIDR blocks such as 203.0.113.0/24",
  },
  above_zero: { description: "the value is not above 0", rule: "expected more than 0" },
  not_below: {
    description: "the value is less than that of `below`",
    rule: "expected no less than below",
  },
  decimals: {
    description: "the value is not a decimal, or has more than `most` decimals",
    rule: null,
  },
  too_slow: {
    description: "the search took too long with so little text",
    rule: "must have more of the text: the search took too long",
  },
  too_long: {
    description: "the list took too long for this time",
    rule: "expected a shorter time: the list took too long",
  },
  vague: {
    description: "the text names more than `most` wallets",
    rule: null,
  },
  one_business: {
    description: "the search needs one business, for there are more than `most` wallets",
    rule: null,
  },
  one_wallet: {
    description: "a business with more than `most` wallets must name one wallet instead",
    rule: null,
  },
  too_many: { description: "there are more than `most` entries", rule: null },
  each_once: {
    description: "two headers have the same name",
    rule: "must have each header once",
  },
  choice: { description: "the value is none of `choices`", rule: null },
  unknown_chain: {
    description: "no configured chain has this name; `chains` are configured",
    rule: null,
  },
  no_chain: {
    description: "no chain is configured",
    rule: "must name a configured chain: none is configured",
  },
  address: { description: "the value is not an address", rule: null },
  checksum: { description: "the address has a wrong EIP-55 checksum", rule: null },
  repeated: { description: "the list has the same wallet before, at `other`", rule: null },
  taken: {
    description: "`business` (`business_id`) has the address on that chain already",
    rule: null,
  },
  not_watched: { description: "`name` is not watched; `choices` are", rule: null },
  nothing_watched: { description: "`name` is not watched, and nothing is yet", rule: null },
  not_among_assets: { description: "`name` is not among `assets`", rule: null },
  foreign_wallet: { description: "`wallet` is no wallet of the business", rule: null },
  unasked_events: {
    description: "the operator must ask for `events` first, for the business",
    rule: null,
  },
  assetless_events: { description: "`events` are about no configured asset", rule: null },
  none_on_chains: {
    description: "none of the wallets is on one of `blockchains`",
    rule: "none of them is on one of blockchains",
  },
  none_referred: {
    description: "none of the wallets has such a reference",
    rule: "none of them has a reference that begins so",
  },
  none_with_events: {
    description: "none of the wallets has such events",
    rule: "none of them has such events",
  },
  none_on_left_chains: {
    description: "none of the assets is on a chain that the other fields leave",
    rule: "none of them is on a chain that is left",
  },
  header_name: {
    description: "`name` is not the name of a header of at most `most` characters",
    rule: null,
  },
  header_reserved: { description: "`name` is a header that cannot be set", rule: null },
  header_value: {
    description: "the header `name` needs a value of 1 to `most` visible ASCII characters",
    rule: null,
  },
  certificate: {
    description: "it is not a certificate and its private key without a passphrase, both PEM",
    rule: "expected a certificate and its private key without a passphrase, both PEM",
  },
  certificate_key: {
    description: "the private key is not that of the certificate",
    rule: "the private key is not that of the certificate",
  },
  certificate_expired: {
    description: "the certificate has expired",
    rule: "the certificate has expired",
  },
  invalid: { description: "the value is not allowed; `message` says why", rule: null },
} as const satisfies Record<string, { description: string; rule: string | null }>;

export type FieldProblem = keyof typeof fieldProblems;

const byRule: ReadonlyMap<string | null, FieldProblem> = new Map(
  keysOf(fieldProblems).map((code) => [fieldProblems[code].rule, code]),
);

/** The word for a rule that names no values: zod carries such a rule alone. */
export function problemOfRule(rule: string): FieldProblem {
  return byRule.get(rule) ?? "invalid";
}
