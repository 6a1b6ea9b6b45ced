import { createRedaction, secretsOfUrl } from "../../runtime/redaction.ts";

/** Removes the keys of these URLs from a text. A provider's error may repeat the URL. */
export function hideKeys(urls: readonly string[]): (text: string) => string {
  return createRedaction(urls.flatMap(secretsOfUrl)).text;
}
