import { parseAddress } from "../chain/address.ts";
import { isDay } from "../day.ts";
import { isId } from "../id.ts";
import { keysOf } from "../keys-of.ts";
import { isPlainText } from "../text.ts";
import { type CreditProblem, type CreditProblemCode, creditProblem } from "./credit-problem.ts";

/**
 * One credit in a business's books: it gave its customer money for a transaction. It names the
 * transaction by id, or by hash and wallet.
 */
export type Credit = {
  /** The business's own reference. */
  reference: string;
  creditedAt: Date;
  asset: string;
  /** A decimal above zero, without leading or trailing zeros. */
  amount: string;
  transactionId: string | null;
  /** In lower case. Without an id it names the transaction, else it must be the transaction's. */
  txHash: string | null;
  walletId: string | null;
  /** The wallet's address, in lower case. */
  address: string | null;
};

/** A line of a file of credits: a credit, or what is wrong with the line. */
export type CreditLine =
  | { kind: "credit"; line: number; credit: Credit }
  | { kind: "malformed"; line: number; text: string; problem: CreditProblem };

/** The fields of a credit: the names of CSV columns and JSON keys. */
const creditFields = {
  transaction_id: "the transaction by its id",
  tx_hash: "or by its hash, with the wallet; beside an id it is compared",
  wallet_id: "the wallet by its id",
  address: "or by its address",
  asset: "the code of the asset",
  amount: "a decimal in units of the asset, as text",
  reference: "the business's own reference of the credit",
  credited_at: "when it was credited, ISO 8601 with a zone",
} as const;

export type CreditField = keyof typeof creditFields;

export const creditFieldNames: readonly CreditField[] = keysOf(creditFields);

/** The text of each field. A missing field has no text, or an empty one. */
export type CreditTexts = Partial<Record<CreditField, string>>;

/** Parses the fields of a line: the credit, or the first thing that is wrong. */
export function parseCredit(
  texts: CreditTexts,
): { kind: "credit"; credit: Credit } | { kind: "problem"; problem: CreditProblem } {
  const problem = problemOf(texts);
  if (problem !== null) return { kind: "problem", problem };
  const { transaction_id: id = "", tx_hash: hash = "", wallet_id: wallet = "" } = texts;
  const { address = "", asset = "", amount = "", reference = "", credited_at: at = "" } = texts;
  return {
    kind: "credit",
    credit: {
      reference,
      creditedAt: new Date(at),
      asset,
      amount: plainDecimal(amount),
      transactionId: id === "" ? null : id.toLowerCase(),
      txHash: hash === "" ? null : hash.toLowerCase(),
      walletId: wallet === "" ? null : wallet.toLowerCase(),
      address: address === "" ? null : address.toLowerCase(),
    },
  };
}

const rules: readonly (readonly [CreditField, (text: string) => CreditProblemCode | null])[] = [
  ["transaction_id", rule(isId, "id")],
  ["tx_hash", rule(isHash, "hash")],
  ["wallet_id", rule(isId, "id")],
  ["address", addressProblem],
  ["asset", rule(isPlainText, "plain_text")],
  ["amount", rule(isAmount, "amount")],
  ["reference", rule(isPlainText, "plain_text")],
  ["credited_at", rule(isTime, "time")],
];

const required = ["asset", "amount", "reference", "credited_at"] as const;

function problemOf(texts: CreditTexts): CreditProblem | null {
  const has = (field: CreditField) => (texts[field] ?? "") !== "";
  const missing = required.filter((field) => !has(field));
  if (missing.length > 0) return creditProblem("missing", { field: missing.join(", ") });
  if (!has("transaction_id") && !(has("tx_hash") && (has("wallet_id") || has("address"))))
    return creditProblem("no_transaction");
  for (const [field, problemIn] of rules) {
    const text = texts[field] ?? "";
    const code = text === "" ? null : problemIn(text);
    if (code === null) continue;
    return creditProblem(code, field === "address" ? { field, address: text } : { field });
  }
  return null;
}

function rule(
  holds: (text: string) => boolean,
  problem: CreditProblemCode,
): (text: string) => CreditProblemCode | null {
  return (text) => (holds(text) ? null : problem);
}

function isHash(text: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(text);
}

function addressProblem(text: string): CreditProblemCode | null {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) return "address";
  try {
    parseAddress(text);
    return null;
  } catch {
    return "checksum";
  }
}

/** The largest amount has 78 digits, and an asset has at most 77 decimals. */
function isAmount(text: string): boolean {
  return /^\d{1,78}(\.\d{1,77})?$/.test(text) && /[1-9]/.test(text);
}

function isTime(text: string): boolean {
  const [, date = ""] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  return isDay(date) && new Date(text).getTime() >= 0;
}

/** A decimal without leading zeros, and without zeros at the end of its fraction. */
function plainDecimal(text: string): string {
  const [whole = "", fraction = ""] = text.split(".");
  const digits = whole.replace(/^0+(?=\d)/, "");
  const rest = fraction.replace(/0+$/, "");
  return rest === "" ? digits : `${digits}.${rest}`;
}
