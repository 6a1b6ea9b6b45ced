import type { components, paths } from "../../wire/generated/api-paths.ts";

/**
 * A notification with its attempts. `business_id`: as an operator sees it, to whom the requests are
 * not shown.
 */
export type Sent = Omit<
  paths["/notifications/{id}"]["get"]["responses"][200]["content"]["application/json"]["data"],
  "attempts"
> & {
  attempts: readonly SentAttempt[];
  business_id?: string;
};

type Request = components["schemas"]["SentRequest"];

export type SentAttempt = components["schemas"]["Attempt"] & { request?: Request | null };

type Listed = Pick<
  components["schemas"]["Notification"],
  "id" | "status" | "delivered_at" | "webhook_id"
>;

/** Stands for the webhook where a notification stands worst. */
export const anyWebhook = "any";

/** A webhook of several, and a notification as the list of that webhook has it, if it does. */
export type AtWebhook = { webhookId: string; row: Listed | undefined };

/** A notification, and the webhook that is to get it again. Null: the first one. */
export type ToSend = Pick<Listed, "id" | "webhook_id">;

/** The webhook that a row is of, and the row of a notification. Null: of the first webhook. */
export function atOf(
  webhookId: string | undefined,
  id: string | null,
  rows: readonly Listed[],
): AtWebhook | null {
  const row = rows.find((one) => one.id === id);
  const at = webhookId === anyWebhook ? row?.webhook_id : webhookId;
  return at == null ? null : { webhookId: at, row };
}

/**
 * A notification as one webhook has it: its attempts there, and its status. Null: the status of the
 * first webhook, and the attempts at all of them.
 */
export function sentAt(of: Sent, at: AtWebhook | null): Sent {
  if (at === null) return of;
  const attempts = of.attempts.filter(({ webhook_id: id }) => id === at.webhookId);
  return { ...of, ...at.row, attempts };
}

/** True where attempts went to several webhooks: each then has to name its own. */
export function hasSeveral({ attempts }: Pick<Sent, "attempts">): boolean {
  return new Set(attempts.map(({ webhook_id: id }) => id)).size > 1;
}

/** A header of a request. `value` null: it is masked. */
type Header = Request["headers"][number];

/** Stands for a value that is not shown. */
const mask = "••••••";

/** The seconds that an attempt signed. */
const secondOf = ({ at }: SentAttempt) => Math.floor(Date.parse(at) / 1000);

/**
 * The headers of an attempt as they were sent, without those of HTTP. Where they are not known,
 * those that every request has.
 */
function headersOf(sent: Sent, attempt: SentAttempt): readonly Header[] {
  return (
    attempt.request?.headers ?? [
      { name: "content-type", value: "application/json" },
      { name: "webhook-id", value: sent.id },
      { name: "webhook-timestamp", value: String(secondOf(attempt)) },
    ]
  );
}

/** The head of a request as HTTP/1.1 writes it. A masked value is dots. */
export function headOf(sent: Sent, attempt: SentAttempt): string {
  const url = URL.canParse(attempt.url ?? "") ? new URL(attempt.url ?? "") : null;
  const length = new TextEncoder().encode(sent.body).length;
  return [
    ...(url === null ? [] : [`POST ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`]),
    ...headersOf(sent, attempt).map(({ name, value }) => `${name}: ${value ?? mask}`),
    `content-length: ${length}`,
  ].join("\n");
}

/** The request as a command for a shell. A masked value is a variable of the shell. */
export function curlOf(sent: Sent, attempt: SentAttempt): string {
  const headers = headersOf(sent, attempt).map(({ name, value }) =>
    value === null
      ? `  -H ${quoted(`${name}: `)}"$HEADER_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}"`
      : `  -H ${quoted(`${name}: ${value}`)}`,
  );
  const target = quoted(attempt.url ?? "https://example.com/webhook");
  return [`curl -X POST ${target}`, ...headers, `  --data-raw ${quoted(sent.body)}`].join(" \\\n");
}

const ofSecret = "the secret that was shown when the webhook was registered or last rotated";

/** A program for Node that makes the signature of an attempt again, and says what was sent. */
export function verifierOf(sent: Sent, attempt: SentAttempt): string {
  const signature = headersOf(sent, attempt).find(({ name }) => name === "webhook-signature");
  const was = signature?.value ?? null;
  return [
    "// WEBHOOK_SECRET=whsec_... node verify.mjs",
    'import { createHmac } from "node:crypto";',
    "",
    "const { WEBHOOK_SECRET } = process.env;",
    "if (!WEBHOOK_SECRET) {",
    `  console.error("Set WEBHOOK_SECRET to ${ofSecret}.");`,
    "  process.exit(1);",
    "}",
    `const body = ${JSON.stringify(sent.body)};`,
    'const key = Buffer.from(WEBHOOK_SECRET.replace("whsec_", ""), "base64");',
    `const signed = "${sent.id}.${secondOf(attempt)}." + body;`,
    'const signature = "v1," + createHmac("sha256", key).update(signed).digest("base64");',
    was === null
      ? "console.log(signature);"
      : `console.log("${was}".split(" ").includes(signature) ? "right" : "wrong");`,
  ].join("\n");
}

/** Any text as one word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
