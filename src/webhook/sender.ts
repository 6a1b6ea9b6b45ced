import { errors } from "undici";
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
  /** Ends every connection. Requests under way come back as a `connection` error. */
  close: () => Promise<void>;
};

/**
 * The only way out to a business: the API's test notify goes through it too.
 * @param options.timeoutMs over DNS, connect, TLS, headers and body together
 * @param options.proxyUrl http or https, of a proxy that knows CONNECT. Targets are checked all the
 * same
 * @param options.extraCa PEM certificates trusted beside the public roots, or null
 */
export function createSender(options: {
  policy: TargetPolicy;
  timeoutMs: number;
  userAgent: string;
  extraCa: string | null;
  /** Of a proxy that every request goes through, or null. */
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
      // As the guard names it. Of rows that were written before the guard did so, too.
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

/** The headers of a request, without those of HTTP itself. */
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
 * Valid UTF-8 without NUL, which PostgreSQL refuses in text. A character cut off by the limit is
 * left out.
 */
function toText(bytes: Buffer): string {
  if (bytes.length === 0) return "";
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\u0000", "\ufffd");
}

/** RFC 9110, 10.2.3: seconds, or an HTTP date. Anything else is ignored. */
function retryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const atMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

function errorKindOf(error: unknown): AttemptErrorKind {
  if (error instanceof ConnectError) return error.kind;
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return "timeout";
  }
  return "connection";
}
