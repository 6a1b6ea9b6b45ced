import { linesOf, titleOf } from "../domain/alerts/message.ts";
import type { Clock } from "../runtime/clock.ts";
import { withTimeout } from "../runtime/with-timeout.ts";
import { type AlertChannel, sendTimeoutMs } from "./channel.ts";
import { NotTaken } from "./failure-of.ts";

/** The ports of RFC 8314 (TLS from the start) and RFC 6409 (STARTTLS). */
const ports = { "smtps:": 465, "smtp:": 587 } as const;

const isOfThisMachine = (host: string) => ["127.0.0.1", "[::1]", "localhost"].includes(host);

/**
 * Sends mail as plain text. `smtps://` uses TLS from the start. `smtp://` requires STARTTLS, except
 * for this machine itself, where TLS is not used. Certificates are verified.
 */
export function createSmtpChannel(
  { url, from, to }: { url: string; from: string; to: readonly string[] },
  { clock }: { clock: Clock },
): AlertChannel {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === "smtps:";
  const isPlain = !isSecure && isOfThisMachine(hostname);
  return {
    name: "smtp",
    async send(message, signal) {
      // Loaded only when mail is sent.
      const { createTransport } = await import("nodemailer");
      const transport = createTransport({
        host: hostname.replace(/^\[(.*)\]$/, "$1"),
        port: port === "" ? ports[isSecure ? "smtps:" : "smtp:"] : Number(port),
        secure: isSecure,
        ...(isPlain ? { ignoreTLS: true } : { requireTLS: true }),
        ...(username === ""
          ? {}
          : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),

        connectionTimeout: sendTimeoutMs,
        greetingTimeout: sendTimeoutMs,

        socketTimeout: sendTimeoutMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const sending = transport.sendMail({
        from,
        to: [...to],
        subject: titleOf(message),
        text: `${linesOf(message).join("\n")}\n`,
        // The same at each attempt, so that mail programs show a repeated message once.
        messageId: `<${message.id}@chainbell.invalid>`,
        headers: { "auto-submitted": "auto-generated" },
      });
      // A process that stops does not wait for this time limit.
      const sleep: Clock["sleep"] = (ms, ended) =>
        clock.sleep(ms, AbortSignal.any([ended, signal]));
      const timeoutMs = sendTimeoutMs;
      const sent = await withTimeout(sending, { timeoutMs, clock: { ...clock, sleep } });
      transport.close();
      signal.throwIfAborted();
      if (sent.kind === "late")
        throw new NotTaken({
          message: "The mail server did not answer in time.",
          code: "late",
          values: {},
        });
      return sent.value.response;
    },
  };
}
