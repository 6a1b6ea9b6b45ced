import { fill, text } from "../../text/text.ts";
import type { Schema } from "../../wire/api.ts";

/**
 * The number of a notification in the stream of its business and chain. Null for one without a
 * number, such as a test.
 */
export function notifiedNumber(payload: Schema<"Notification">["payload"]): string | null {
  const number = payload["sequence"];
  return typeof number === "number" ? fill(text.deliveries.number, { number }) : null;
}
