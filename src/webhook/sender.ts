import type { AttemptErrorKind, AttemptResult } from "../domain/delivery/delivery.ts";
import type { OutgoingMessage, Sender } from "../domain/delivery/sender.ts";
import type { Clock } from "../runtime/clock.ts";
import { ConnectError } from "./connect-error.ts";
import { type Exchanged, exchange } from "./exchange.ts";

import { createPools } from "./pools.ts";
import type { ResolveHost } from "./resolve-host.ts";
import { signatureHeaders } from "./signature.ts";
import { hostOf, type TargetPolicy } from "./target-guard.ts";
import { createTunnel } from "./tunnel.ts";

export type WebhookSender = Sender & {
  /** Ends every connection. Requests under way resolve with a `connection` error. */
  close: () => Promise<void>;
};

/**
 * Makes the only sender to businesses. The API's test of a webhook uses it too.
 * @param options.timeoutMs for DNS, connect, TLS, headers and body together
 * @param options.proxyUrl http or https URL of a proxy that supports CONNECT; targets are still
 *   checked
 * @param options.extraCa PEM certificates to trust in addition to the public roots, or null
 */
export function createSender(options: {
  policy: TargetPolicy;
  timeoutMs: number;
  userAgent: string;
  extraCa: string | null;
  /** The URL of a proxy for every request, or null. */
  proxyUrl: string | null;
  resolve: ResolveHost;
  clock: Clock;
}): WebhookSender {
  const { timeoutMs, userAgent, clock, proxyUrl } = options;
  const tunnel = proxyUrl === null ? null : createTunnel(proxyUrl);
  const pools = createPools({ ...options, tunnel });

  function toResult(exchanged: Exchanged, isWithheld: () => boolean): AttemptResult {
    switch (exchanged.kind) {
      case "late":
        return { kind: "unanswered", errorKind: "timeout" };
      case "failed":
        return { kind: "unanswered", errorKind: errorKindOf(exchanged.error) };
      case "answered":
        return {
          kind: "answered",
          statusCode: exchanged.statusCode,
          retryAfterMs: retryAfter(exchanged.retryAfter, clock.now()),
          response: isWithheld() ? null : toText(exchanged.start),
        };
    }
  }

  return {
    async post(message, signal) {
      const startedMs = performance.now();
      const { businessId, outbound } = message;
      const url = new URL(message.url);
      // Writes the host as the guard does. Old rows may still have the dot of the root.
      url.hostname = hostOf(url);
      const { origin, pathname, search } = url;
      const request = {
        origin,
        path: pathname + search,
        method: "POST" as const,
        body: message.body,
        headers: headersOf(message, userAgent),
      };
      const { agent, withheldOrigins } = pools.of({ businessId, ...outbound });
      const exchanged = await exchange(agent, request, { timeoutMs, signal });
      const result = toResult(exchanged, () => withheldOrigins.has(origin));
      return { ...result, latencyMs: Math.round(performance.now() - startedMs) };
    },
    async close() {
      await pools.close();
      await tunnel?.close();
    },
  };
}

/** The headers of a request, except those that HTTP itself adds. */
export function headersOf(message: OutgoingMessage, userAgent: string): Record<string, string> {
  const { previousId = null } = message;
  return {
    ...message.outbound.headers,
    "content-type": "application/json",
    "user-agent": userAgent,
    ...(previousId === null ? {} : { "webhook-previous": previousId }),
    ...signatureHeaders({
      ...message,
      ...message.outbound,
      timestampSec: Math.floor(message.startedAt.getTime() / 1000),
    }),
  };
}

/**
 * Valid UTF-8 without NUL, which PostgreSQL refuses in text. Leaves out a last character that the
 * limit has cut.
 */
function toText(bytes: Buffer): string {
  if (bytes.length === 0) return "";
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\u0000", "\ufffd");
}

/** RFC 9110, 10.2.3: seconds, or an HTTP date. Null if it is neither. */
function retryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const atMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

function errorKindOf(error: unknown): AttemptErrorKind {
  return error instanceof ConnectError ? error.kind : "connection";
}
