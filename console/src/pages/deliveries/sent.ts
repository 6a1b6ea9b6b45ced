import type { paths } from "../../wire/generated/api-paths.ts";

type Described =
  paths["/notifications/{id}"]["get"]["responses"][200]["content"]["application/json"]["data"];

/** A notification with its attempts, and what was sent exactly where the server says it. */
export type Sent = Omit<Described, "attempts"> & {
  body?: string;
  attempts: (Described["attempts"][number] & { url?: string | null })[];
};

/** The text that is sent. Without the exact one, the same values. */
function bodyOf(sent: Sent): string {
  return sent.body ?? JSON.stringify(sent.payload);
}

/** What a request carries beside its signatures, which only the secret can make. */
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

/** Where it was sent last; null where the server does not say it. */
export function urlOf(sent: Sent): string | null {
  return sent.attempts.at(-1)?.url ?? null;
}

/** The request as a command for a shell, without its signatures. */
export function curlOf(sent: Sent): string {
  const headers = headersOf(sent).map(({ name, value }) => `  -H ${quoted(`${name}: ${value}`)}`);
  const target = quoted(urlOf(sent) ?? "https://example.com/webhook");
  return [`curl -X POST ${target}`, ...headers, `  --data-raw ${quoted(bodyOf(sent))}`].join(
    " \\\n",
  );
}

/** One word for a POSIX shell, whatever is in it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
