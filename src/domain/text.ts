import { Fault } from "./fault.ts";

/** The longest name, label or reference, in characters: for people, not for documents. */
const maxTextLength = 200;

/**
 * True if a text can be kept and shown. Such a text is not blank and not too long. It has no
 * control character and no half of a surrogate pair.
 */
export function isPlainText(text: string): boolean {
  return text.length <= maxTextLength && text.trim() !== "" && !/[\p{Cc}\p{Cs}]/u.test(text);
}

/**
 * Characters that show nothing or turn the text beside them: such a name looks like another one.
 * Joiners and selectors of a form are taken. Scripts, names and emoji are written wrong without.
 */
const hiding = /(?!\u200c|\u200d|\p{VS})[\p{DI}\p{Zl}\p{Zp}\ufff9-\ufffb]/u;

/**
 * True if a text may be a name from now on: plain, of something that is seen, and without a
 * character that hides or turns a part of it. A search takes any plain text: older names may have
 * such characters.
 */
export function isNameText(text: string): boolean {
  return isPlainText(text.replace(/\p{DI}/gu, "")) && isPlainText(text) && !hiding.test(text);
}

export const plainTextRule = `expected 1 to ${maxTextLength} characters, not blank, without control characters`;

export const nameTextRule = `${plainTextRule} and without characters that hide or turn text`;

/** @throws Fault `invalid_request` that names the field */
export function requireNameText(text: string, field: string): string {
  if (isNameText(text)) return text;
  throw invalidField(field, nameTextRule);
}

const maxLines = 8;

const linesRule = `expected 1 to ${maxLines} lines, each of ${nameTextRule.replace("expected ", "")}`;

/** A text of several lines, such as a postal address. @throws Fault `invalid_request` */
export function requireNameLines(text: string, field: string): string {
  const lines = text.split("\n");
  if (lines.length <= maxLines && lines.every(isNameText)) return text;
  throw invalidField(field, linesRule);
}

/** A fault of one field of a request. Its rule is one of `fieldSentence`. */
export function invalidField(field: string, rule: string): Fault {
  return new Fault("invalid_request", fieldSentence(field, rule), {
    facts: { details: [{ field, message: rule }] },
  });
}

/**
 * The sentence about a field that breaks its rule. A rule of "expected …" says what the value must
 * be, and `given` says what it is. A rule of "must …" is about more than the value. Any other rule
 * stands as it is after the name of the field.
 */
export function fieldSentence(field: string, rule: string, given: string | null = null): string {
  const name = field === "" ? "The body" : field;
  if (rule.startsWith("must ")) return `${name} ${rule}.`;
  if (!rule.startsWith("expected ")) return `${name}: ${rule}.`;
  const what = `${name} must be ${rule.slice("expected ".length)}`;
  return given === null ? `${what}.` : `${what}; it is ${given}.`;
}
