import { plainTextRule } from "../text.ts";

/** The faults of a line of credits. `says`: its sentence, with the values in braces. */
export const creditProblems = {
  encoding: {
    description: "the encoding of the line is not UTF-8",
    says: "the line is not in UTF-8",
  },
  quotes: {
    description: "a quote of the line is not closed, or stands in a cell without quotes",
    says: "a quote is not closed, or stands in a cell without quotes",
  },
  cells: {
    description: "the line has another number of cells than the first line",
    says: "expected {expected} cells, there are {found}",
  },
  not_an_object: {
    description: "the line is not a JSON object",
    says: "expected a JSON object on one line",
  },
  unknown_field: {
    description: "a credit has no field of this name",
    says: "{field}: there is no such field",
  },
  not_a_text: {
    description: "the value of the field is not a JSON text",
    says: "{field}: expected a text",
  },
  missing: {
    description: "a field is missing",
    says: "{field}: missing",
  },
  no_transaction: {
    description: "the line names no transaction",
    says: "transaction_id: missing, and so is tx_hash with wallet_id or address",
  },
  id: {
    description: "the field has no id",
    says: "{field}: expected a UUID",
  },
  hash: {
    description: "the field has no hash",
    says: "{field}: expected 0x and 64 hexadecimal digits",
  },
  address: {
    description: "the field has no address",
    says: "{field}: '{address}' is not an address: write 0x and 40 hexadecimal digits",
  },
  checksum: {
    description: "the EIP-55 checksum of the address is wrong",
    says: "{field}: '{address}' has a wrong EIP-55 checksum: check it for a typing error, or write it in lower case",
  },
  plain_text: {
    description: "the field has no plain text",
    says: `{field}: ${plainTextRule}`,
  },
  amount: {
    description: "the field has no amount above zero",
    says: "{field}: expected a decimal above 0 without exponent, such as 12.5",
  },
  time: {
    description: "the field has no time with its zone",
    says: "{field}: expected an ISO 8601 time with its zone",
  },
} as const;

export type CreditProblemCode = keyof typeof creditProblems;

/** The fault of a line: a word for machines, its values, and the sentence of both. */
export type CreditProblem = {
  code: CreditProblemCode;
  values: Readonly<Record<string, string | number>>;
  sentence: string;
};

/** Makes the fault of a line. Texts in `values` may be a stranger's: see `shownText`. */
export function creditProblem(
  code: CreditProblemCode,
  values: CreditProblem["values"] = {},
): CreditProblem {
  const shown = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" ? shownText(value) : value,
    ]),
  );
  const sentence = creditProblems[code].says.replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(shown[name] ?? whole),
  );
  return { code, values: shown, sentence };
}

/** Longer than an address, and than each name of a field. */
const mostShown = 80;

/**
 * Makes a text that a stranger chose safe to store and to show. It is cut between two characters,
 * since PostgreSQL refuses half of a surrogate pair, as it refuses U+0000.
 */
export function shownText(text: string): string {
  const shown = [...text.slice(0, 2 * mostShown)].slice(0, mostShown).join("");
  return shown.replace(/[\p{Cc}\p{Cs}]/gu, "\uFFFD");
}
