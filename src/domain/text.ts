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

export const plainTextRule = `expected 1 to ${maxTextLength} characters, not blank, without control characters`;

/** @throws Fault `invalid_request` that names the field */
export function requirePlainText(text: string, field: string): string {
  if (isPlainText(text)) return text;
  throw invalidField(field, plainTextRule);
}

const maxLines = 8;

const linesRule = `expected 1 to ${maxLines} lines, each of ${plainTextRule.replace("expected ", "")}`;

/** A text of several lines, such as a postal address. @throws Fault `invalid_request` */
export function requirePlainLines(text: string, field: string): string {
  const lines = text.split("\n");
  if (lines.length <= maxLines && lines.every(isPlainText)) return text;
  throw invalidField(field, linesRule);
}

/** A fault of one field of a request. */
export function invalidField(field: string, rule: string): Fault {
  return new Fault("invalid_request", `The field ${field} is malformed: ${rule}.`, {
    facts: { details: [{ field, message: rule }] },
  });
}
