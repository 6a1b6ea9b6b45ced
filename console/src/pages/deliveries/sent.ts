import type { paths } from "../../wire/generated/api-paths.ts";

/** A notification with its attempts. `business_id`: as an operator sees it. */
export type Sent =
  paths["/notifications/{id}"]["get"]["responses"][200]["content"]["application/json"]["data"] & {
    business_id?: string;
  };

/** The headers of a request without its signatures, which only the secret can make. */
export function headersOf(sent: Sent): { name: string; value: string }[] {
  const at = sent.attempts.at(-1)?.at;
  return [
    { name: "content-type", value: "application/json" },
    { name: "webhook-id", value: sent.id },
    ...(at === undefined
      ? []
      : [{ name: "webhook-timestamp", value: String(Math.floor(Date.parse(at) / 1000)) }]),
  ];
}

/** The URL of the last attempt; null before the first attempt. */
export function urlOf(sent: Sent): string | null {
  return sent.attempts.at(-1)?.url ?? null;
}

/** The request as a command for a shell, without its signatures. */
export function curlOf(sent: Sent): string {
  const headers = headersOf(sent).map(({ name, value }) => `  -H ${quoted(`${name}: ${value}`)}`);
  const target = quoted(urlOf(sent) ?? "https://example.com/webhook");
  return [`curl -X POST ${target}`, ...headers, `  --data-raw ${quoted(sent.body)}`].join(" \\\n");
}

/** Any text as one word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
