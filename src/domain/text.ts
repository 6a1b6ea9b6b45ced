import { Fault, type FaultCode } from "./fault.ts";
import { type FieldProblem, fieldProblems, maxTextLength } from "./field-problem.ts";

/**
 * True if a text can be stored and shown. It is not blank or too long, and has no control character
 * or half of a surrogate pair.
 */
export function isPlainText(text: string): boolean {
  return text.length <= maxTextLength && text.trim() !== "" && !/[\p{Cc}\p{Cs}]/u.test(text);
}

/**
 * Matches characters that are invisible or turn the text beside them, which makes one name look
 * like another. Joiners and variation selectors are allowed, because scripts, names and emoji need
 * them.
 */
const hiding = /(?!\u200c|\u200d|\p{VS})[\p{DI}\p{Zl}\p{Zp}\ufff9-\ufffb]/u;

/**
 * True if a text may be a new name. It is plain, something of it is visible, and no character hides
 * or turns a part of it. Searches accept any plain text, since older names may have such
 * characters.
 */
export function isNameText(text: string): boolean {
  return isPlainText(text.replace(/\p{DI}/gu, "")) && isPlainText(text) && !hiding.test(text);
}

export const plainTextRule = fieldProblems.plain_text.rule;

export const nameTextRule = fieldProblems.name_text.rule;

/** @throws Fault `invalid_request` that names the field */
export function requireNameText(text: string, field: string): string {
  if (isNameText(text)) return text;
  throw invalidField(field, nameTextRule);
}

const maxLines = 8;

const linesRule = `expected 1 to ${maxLines} lines, each of ${nameTextRule.replace("expected ", "")}`;

/** Checks a text of several lines, such as a postal address. @throws Fault `invalid_request` */
export function requireNameLines(text: string, field: string): string {
  const lines = text.split("\n");
  if (lines.length <= maxLines && lines.every(isNameText)) return text;
  throw invalidField(field, linesRule);
}

/**
 * A field that breaks a rule, and the rule in the form for `fieldSentence`. `code` is its word in
 * `fieldProblems`. Left out: the rule names no values, or has no word. `values`: those in the rule.
 */
export type FieldRule = {
  field: string;
  message: string;
  code?: FieldProblem | undefined;
  values?: Readonly<Record<string, string | number>> | undefined;
};

/** The fault of one field of a request. The rule has the form for `fieldSentence`. */
export function invalidField(
  field: string,
  rule: string,
  word: Pick<FieldRule, "code" | "values"> = {},
): Fault {
  return invalidFields({ field, message: rule, ...word });
}

/** One fault names at most this many fields. */
const mostNamed = 100;

/** The fault of several fields of a request. Its message is about the first one. */
export function invalidFields(
  first: FieldRule,
  others: readonly FieldRule[] = [],
  code: FaultCode = "invalid_request",
): Fault {
  const more = others.length === 0 ? "" : ` ${moreFields(others.length)}`;
  const details = [first, ...others].slice(0, mostNamed);
  return new Fault(code, `${fieldSentence(first.field, first.message)}${more}`, {
    facts: { details },
  });
}

function moreFields(count: number): string {
  return count === 1 ? "One more field is wrong." : `${count} more fields are wrong.`;
}

/** The rule of a field that the request does not know. */
export const unknownField = fieldProblems.unknown_field.rule;

/**
 * The sentence about a field that breaks its rule: the field, what it must be, and its value. The
 * form of the rule decides:
 * - "expected …" says what the value must be, and `given` what it is.
 * - "must …" is about more than the value.
 * - A rule with a full stop at its end is the whole sentence.
 * - Any other rule follows the name of the field.
 */
export function fieldSentence(field: string, rule: string, given: string | null = null): string {
  if (rule.endsWith(".")) return rule;
  const name = field === "" ? "The body" : field;
  if (rule === unknownField) return `Unknown parameter: ${name}.`;
  if (rule.startsWith("must ")) return `${name} ${rule}.`;
  if (!rule.startsWith("expected ")) return `${name}: ${rule}.`;
  const what = `${name} must be ${rule.slice("expected ".length)}`;
  return given === null ? `${what}.` : `${what}; it is ${given}.`;
}
