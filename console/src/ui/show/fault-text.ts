import { fill, text } from "../../text/text.ts";
import type { WireFault } from "../../wire/fault.ts";

/**
 * A fault in the page's language, by its code and the fields at fault. The API's own sentence is
 * the English one; it is shown where a language has no words for a code.
 */
export function faultText(fault: WireFault): string {
  if (fault.status === 0) return text.common.unreachable;
  const words: Readonly<Record<string, string>> = text.fault;
  const said = words[fault.code];
  if (said === undefined) return fault.message;
  const fields = [...new Set(fault.details.map(({ field }) => field))].join(", ");
  return fields === "" ? said : `${said} ${fill(text.faultFields, { fields })}`;
}
