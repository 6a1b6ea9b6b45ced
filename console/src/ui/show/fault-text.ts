import { fill, text, worded } from "../../text/text.ts";
import type { FieldFault, WireFault } from "../../wire/fault.ts";

/**
 * A fault in the page's language, by its code and the fields at fault. The API's own sentence is
 * English, and says the cause. It stands behind the words of another language if these lack the
 * cause, and alone if there are none.
 */
export function faultText(fault: WireFault): string {
  if (fault.code === "unreachable") return text.common.unreachable;
  const words: Readonly<Record<string, string>> = text.fault;
  const said = words[fault.code];
  if (said === undefined) return fault.message;
  const { details } = fault;
  if (details.length > 0 && details.every(isWorded))
    return [said, ...details.map(fieldText)].join(" ");
  const fields = [...new Set(details.map(({ field }) => field))].join(", ");
  const named = fields === "" ? said : `${said} ${fill(text.faultFields, { fields })}`;
  return `${named} (${fault.message})`;
}

/** The problem of a field in the page's language, or the API's own sentence. */
export function fieldText({ field, message: sentence, code, values }: FieldFault): string {
  return worded(text.fieldProblem, code, { ...values, field, sentence });
}

function isWorded({ code }: FieldFault): boolean {
  return Object.hasOwn(text.fieldProblem, code);
}
