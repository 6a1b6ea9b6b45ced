import { z } from "zod";
import { parseAddress } from "../domain/chain/address.ts";
import { partsOfShortened } from "../domain/chain/shortened-hash.ts";
import { plainDecimal } from "../domain/exact.ts";
import { faultIn } from "../domain/fault.ts";
import { fieldProblems } from "../domain/field-problem.ts";
import { isId } from "../domain/id.ts";
import {
  cursorRule,
  decodeCursor,
  defaultPageSize,
  firstPlace,
  maxPageSize,
  type PageRequest,
  pageLimitRule,
} from "../domain/page.ts";
import { isPlainText, plainTextRule } from "../domain/text.ts";
import "./issue-rules.ts";

// The fields of requests. The message of each refusal follows the field's name.

/** Any text of at most 200 characters. The named thing need not exist. */
export const textField = z.string(plainTextRule).refine(isPlainText, plainTextRule);

/** A UUID, in lower case as the ledger writes it. */
export const idField = z.string().toLowerCase().refine(isId, fieldProblems.id.rule);

export const addressField = z.string().transform((text, context) => {
  try {
    return parseAddress(text);
  } catch (error) {
    const message = faultIn(error)?.message.replace(/\.$/, "") ?? "expected an address";
    context.issues.push({ code: "custom", message, input: text });
    return z.NEVER;
  }
});

const wholeHash = /^0x[0-9a-fA-F]{64}$/;

export const txHashField = z
  .string()
  .regex(wholeHash, fieldProblems.hash.rule)
  .transform((text) => text.toLowerCase());

/** The rule of a hash that may be shortened, for the message of a refusal. */
export const hashRule =
  "expected 0x and 64 hexadecimal digits, at least the first six, or both ends as in 0x825d…4c7f";

/** A hash, whole or shortened as in lists. */
export const namedHashField = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine((text) => wholeHash.test(text) || partsOfShortened(text) !== null, hashRule)
  .meta({
    description:
      "Only transactions with this hash: whole, its first six digits or more, or both ends as in 0x825d…4c7f.",
  });

/** A text that selects the wallets whose rows are listed. */
export const ofNamedField = textField.optional().meta({
  description:
    "Only rows of wallets whose reference or label contains this text, or whose address begins with it, in any case. Removed wallets count too. It matches at most 5,000 wallets, in a business with at most 100,000.",
  examples: ["order-"],
});

/** A date, which means its first moment in UTC, or a time with its zone. ISO 8601. */
export const dateField = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], { error: fieldProblems.date.rule })
  // No chain is older than 1970, and PostgreSQL has no year 0.
  .transform((text) => new Date(Math.max(0, new Date(text).getTime())));

/** True or false in a query. Left out: false. */
export function flagField(description: string) {
  return z
    .enum(["true", "false"], "expected true or false")
    .transform((text) => text === "true")
    .default(false)
    .meta({
      type: "boolean",
      // Makes the document show a boolean instead of the two texts above.
      enum: undefined,
      default: false,
      description,
    });
}

/** A block by its number, or a moment as in `dateField`. */
export const atField = z
  .string()
  .transform((text, context): { kind: "block"; number: bigint } | { kind: "time"; time: Date } => {
    if (/^\d{1,15}$/.test(text)) return { kind: "block", number: BigInt(text) };
    const time = dateField.safeParse(text);
    if (time.success) return { kind: "time", time: time.data };
    context.issues.push({ code: "custom", message: atRule, input: text });
    return z.NEVER;
  })
  .meta({ type: "string", examples: ["18000000", "2026-01-31"] });

const atRule = "expected a block number, or an ISO 8601 date or time";

export const blockRule = fieldProblems.block.rule;

export const blockField = z.int(blockRule).min(0, blockRule);

/** True if the value can be a block's number, without loss of digits. */
export function isBlockNumber(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Several values of one query parameter, separated by commas. */
export function valuesField<Value extends string>(
  isValue: (text: string) => text is Value,
  { rule, most = Number.POSITIVE_INFINITY }: { rule: string; most?: number },
) {
  return z.string().transform((text, context): Value[] => {
    const values = text.split(",");
    if (values.length <= most && values.every(isValue)) return values;
    context.issues.push({ code: "custom", message: rule, input: text });
    return z.NEVER;
  });
}

/** For a route without query parameters. */
export const noQuery = z.strictObject({});

/** For a route without a body: accepts none, or an empty object. */
export const noBody = z.strictObject({}).nullish();

/** The query fields of every list. */
export const pageFields = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, pageLimitRule)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= maxPageSize, pageLimitRule)
    .default(defaultPageSize)
    .meta({ type: "integer", minimum: 1, maximum: maxPageSize, default: defaultPageSize }),
  cursor: z
    .string()
    .refine((text) => decodeCursor(text) !== null, cursorRule)
    .optional()
    .meta({
      description:
        "The place at which the page begins: the `next_cursor` of the page before. Left out: the first page.",
    }),
};

/** The query fields of a list of events: from when, to when, and which page. */
export const periodFields = { from: dateField.optional(), to: dateField.optional(), ...pageFields };

/** The page that a query asks for. */
export function pageOf(query: { limit: number; cursor?: string | undefined }): PageRequest {
  const place = query.cursor === undefined ? null : decodeCursor(query.cursor);
  return { limit: query.limit, ...(place ?? firstPlace) };
}

/** Leaves out undefined fields, so that a filter has only what was asked for. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

const decimalRule = 'expected a decimal such as "100" or "0.5"';

/** The longest decimal that is accepted. No amount has that many digits. */
const mostDigits = 100;

/** A plain decimal that is not negative. */
export const decimalField = z
  .string(decimalRule)
  .max(mostDigits, decimalRule)
  .regex(plainDecimal, decimalRule);
