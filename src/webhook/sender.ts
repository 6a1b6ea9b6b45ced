import { Agent, type Dispatcher, errors } from "undici";
import type { AttemptErrorKind, AttemptResult } from "../domain/delivery.ts";
import type { Clock } from "../runtime/clock.ts";
import { createDeadline } from "./deadline.ts";
import { ConnectError, createGuardedConnect } from "./guarded-connect.ts";
import type { ResolveHost } from "./resolve-host.ts";
import { signatureHeaders } from "./signature.ts";
import type { TargetPolicy } from "./target-guard.ts";

/** One notification for one receiver. The secrets as the business knows them. */
type Message = {
  url: string;
  secret: string;
  /** While a rotation overlaps. */
  nextSecret: string | null;
  notificationId: string;
  body: string;
};

export type Sender = {
  /**
   * POSTs the body once, signed, and says what came of it; never throws for what a receiver or its network does.
   * Aborting the signal ends it early: the result is then meaningless and must be dropped.
   */
  post: (message: Message, signal: AbortSignal) => Promise<AttemptResult & { latencyMs: number }>;
  /** Ends every connection; what is under way comes back as a `connection` error. */
  close: () => Promise<void>;
};

/** At most this much of an answer is read; a longer one ends the connection. */
const readLimitBytes = 64 * 1024;
/** And this much of it is kept. */
const keepLimitBytes = 1024;
/** Shorter than the five seconds after which common servers close an idle connection, so we rarely write into one. */
const keepAliveMs = 4_000;

/**
 * The only way out to a business: the API's test ring goes through it too.
 * @param options.timeoutMs over DNS, connect, TLS, headers and body together
 * @param options.extraCa PEM certificates trusted beside the public roots, or null
 */
export function createSender(options: {
  policy: TargetPolicy;
  timeoutMs: number;
  userAgent: string;
  extraCa: string | null;
  resolve: ResolveHost;
  clock: Clock;
}): Sender {
  const { timeoutMs, userAgent, clock } = options;
  const withheldOrigins = new Set<string>();
  const agent = new Agent({
    connect: createGuardedConnect({
      ...options,
      onException: (origin) => withheldOrigins.add(origin),
    }),
    keepAliveTimeout: keepAliveMs,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });

  async function exchange(message: Message, signal: AbortSignal): Promise<AttemptResult> {
    const url = new URL(message.url);
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "POST",
      headers: headersOf(message, userAgent, clock.now()),
      body: message.body,
      signal,
    });
    const kept = await readStart(response.body);
    return {
      kind: "answered",
      statusCode: response.statusCode,
      retryAfterMs: retryAfter(response.headers["retry-after"], clock.now()),
      response: withheldOrigins.has(url.origin) ? null : toText(kept),
    };
  }

  return {
    async post(message, signal) {
      const startedMs = performance.now();
      const deadline = createDeadline(timeoutMs, signal);
      // undici hears of an abort only once it is connected, so the deadline is kept here too.
      const answer = Promise.race([exchange(message, deadline.signal), deadline.passed]);
      const result = await answer.catch(
        (error: unknown): AttemptResult => ({
          kind: "unanswered",
          errorKind: deadline.isOver() ? "timeout" : errorKindOf(error),
        }),
      );
      deadline.clear();
      return { ...result, latencyMs: Math.round(performance.now() - startedMs) };
    },
    close: () => agent.destroy(),
  };
}

function headersOf(message: Message, userAgent: string, nowMs: number): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": userAgent,
    ...signatureHeaders({ ...message, timestampSec: Math.floor(nowMs / 1000) }),
  };
}

/** The first bytes of an answer. Reads on to its end, so that the connection can be used again, or to the limit. */
async function readStart(body: Dispatcher.ResponseData["body"]): Promise<Buffer> {
  const kept: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (sizeBytes < keepLimitBytes) kept.push(chunk.subarray(0, keepLimitBytes - sizeBytes));
    sizeBytes += chunk.length;
    if (sizeBytes > readLimitBytes) break;
  }
  return Buffer.concat(kept);
}

/** Valid UTF-8 without NUL, which PostgreSQL refuses in text. A character cut off by the limit is left out. */
function toText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\u0000", "\ufffd");
}

/** RFC 9110, 10.2.3: seconds, or an HTTP date. What is neither is as if it were not there. */
function retryAfter(header: string | string[] | undefined, nowMs: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
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
