import {
  HttpRequestError,
  ResponseBodyTooLargeError,
  RpcRequestError,
  SocketClosedError,
  TimeoutError,
  WebSocketRequestError,
} from "viem";
import { Fault } from "../../domain/fault.ts";
import { isTooWide } from "./suggested-range.ts";

/** Why a request brought no answer. */
export type RpcFailure =
  | { kind: "throttled"; retryAfterMs: number | null; reason: string }
  | { kind: "unreachable"; reason: string }
  /** The endpoint is well and does not offer the method. */
  | { kind: "unsupported"; reason: string }
  /** The endpoint is well and refuses this request. */
  | { kind: "refused"; reason: string; isGone?: true };

/** JSON-RPC 2.0, section 5.1, and EIP-1474. */
const methodNotFound = -32601;
const methodNotSupported = -32004;
const limitExceeded = -32005;

/** Providers that say it in words, with codes of their own. */
const throttledWords = /rate.?limit|too many requests|request limit|throughput|capacity exceeded/i;
const unsupportedWords =
  /(?:method|module|namespace|trac(?:e|ing)|debug_|trace_)[^.]*(?:not (?:exist|found|available|supported|allowed|enabled|whitelisted)|unsupported|disabled|unavailable)|(?:unsupported|unknown|disallowed) method/i;

/** What a node says of what it no longer has: since EIP-4444 by a code, and before in words. */
const historyGone = 4444;
const goneWords =
  /\bpruned\b|missing trie node|history (?:is )?(?:unavailable|not available)|historical (?:state|data|blocks?|receipts|logs)[^.]*(?:not available|unavailable)|state (?:is )?(?:not available|unavailable)/i;

/** Of an endpoint's own words. */
const longestReason = 500;

/**
 * What viem threw, sorted by who must do what.
 * @param redact takes the keys of the endpoint's URLs out of the reason: an endpoint may say them itself, and the reason is
 *   logged, stored and shown
 */
export function failureOf(error: unknown, redact: (text: string) => string): RpcFailure {
  const failure = kindOfFailure(error);
  return { ...failure, reason: shortened(redact(failure.reason)) };
}

function shortened(reason: string): string {
  return reason.length > longestReason ? `${reason.slice(0, longestReason)} …` : reason;
}

function kindOfFailure(error: unknown): RpcFailure {
  const refusal = firstCause(error, RpcRequestError);
  if (refusal !== undefined) return refusalOf(refusal);
  const http = firstCause(error, HttpRequestError);
  if (http?.status === 429) {
    const reason = `HTTP status 429${wordsOf(http.details)}`;
    return { kind: "throttled", retryAfterMs: retryAfterMs(http.headers), reason };
  }
  return { kind: "unreachable", reason: connectionReason(error, http) };
}

/**
 * The Fault for a failure. URLs, which often carry a provider's key, stay out of it: `who` names the endpoint, and
 * `facts.failure` says what kind it was.
 */
export function unavailable(who: string, what: string, failure: RpcFailure): Fault {
  return new Fault(
    "rpc_unavailable",
    `Endpoint ${who} gave no usable answer (${what}): ${failure.reason}.`,
    { facts: { endpoint: who, failure: failure.kind, ...goneIn(failure) } },
  );
}

function goneIn(failure: RpcFailure): { isGone?: true } {
  return failure.kind === "refused" && failure.isGone === true ? { isGone: true } : {};
}

function refusalOf(refusal: RpcRequestError): RpcFailure {
  const { code, details } = refusal;
  const reason = `error ${code}, ${details.replace(/\.$/, "")}`;
  // Of the range that was asked for, not of the pace: slowing down would not help.
  if (isTooWide(details)) return { kind: "refused", reason };
  // Of this block, not of the method: it is still offered for newer ones.
  if (code === historyGone || goneWords.test(details))
    return { kind: "refused", reason, isGone: true };
  if (code === limitExceeded || code === 429 || throttledWords.test(details)) {
    return { kind: "throttled", retryAfterMs: null, reason };
  }
  const isUnsupported =
    code === methodNotFound || code === methodNotSupported || unsupportedWords.test(details);
  return { kind: isUnsupported ? "unsupported" : "refused", reason };
}

/** What came with the status, or what HTTP calls the status. viem gives a text as JSON, and nothing at all where nothing came. */
function wordsOf(details: string | undefined): string {
  const words = (details ?? "").replace(/^"(.*)"$/s, "$1").replace(/\.$/, "");
  return words === "" ? "" : `, ${words}`;
}

function firstCause<T extends Error>(
  error: unknown,
  type: new (...args: never[]) => T,
): T | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof type) return cause;
  }
  return undefined;
}

/** Of a `Retry-After` only seconds are read: dates depend on two clocks. */
function retryAfterMs(headers: Headers | undefined): number | null {
  const text = headers?.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : null;
}

function connectionReason(error: unknown, http: HttpRequestError | undefined): string {
  if (firstCause(error, TimeoutError) !== undefined) return "it took too long";
  if (firstCause(error, ResponseBodyTooLargeError) !== undefined) return "the answer is too large";
  if (http?.status !== undefined) return `HTTP status ${http.status}`;
  const isClosed = firstCause(error, SocketClosedError) ?? firstCause(error, WebSocketRequestError);
  if (isClosed !== undefined) return "the connection closed";
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
    if (cause instanceof SyntaxError) return "the answer is cut short or no JSON";
  }
  return "the connection failed";
}
