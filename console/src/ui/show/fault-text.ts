import { fill, text } from "../../text/text.ts";
import type { WireFault } from "../../wire/fault.ts";

/**
 * A fault in the page's language, by its code and the fields at fault. The API's own sentence is
 * English, and says the cause. It stands behind the words of another language, and alone where
 * there are none.
 */
export function faultText(fault: WireFault): string {
  if (fault.code === "unreachable") return text.common.unreachable;
  const words: Readonly<Record<string, string>> = text.fault;
  const said = words[fault.code];
  if (said === undefined) return fault.message;
  const fields = [...new Set(fault.details.map(({ field }) => field))].join(", ");
  const named = fields === "" ? said : `${said} ${fill(text.faultFields, { fields })}`;
  return `${named} (${fault.message})`;
}
