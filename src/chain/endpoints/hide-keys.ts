import { createRedaction, secretsOfUrl } from "../../runtime/redaction.ts";

/**
 * Takes the keys in these endpoints' URLs out of a text: a provider's error may repeat the URL it
 * was asked at.
 */
export function hideKeys(urls: readonly string[]): (text: string) => string {
  return createRedaction(urls.flatMap(secretsOfUrl)).text;
}
