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
import { isThrottled, isThrottlingStatus, retryAfterMs, waitIn } from "./throttling.ts";

/** The reason why a request brought no answer. */
export type RpcFailure =
  | { kind: "throttled"; retryAfterMs: number | null; reason: string }
  | { kind: "unreachable"; reason: string }
  /** The endpoint is well and does not offer the method. */
  | { kind: "unsupported"; reason: string }
  /** The endpoint is well and refuses this request. */
  | { kind: "refused"; reason: string; isGone?: true; isReverted?: true };

/** JSON-RPC 2.0, section 5.1, and EIP-1474. */
const methodNotFound = -32601;
const methodNotSupported = -32004;

/** Providers that say it in words, with codes of their own. */
const unsupportedWords =
  /(?:method|module|namespace|trac(?:e|ing)|debug_|trace_)[^.]*(?:not (?:exist|found|available|supported|allowed|enabled|whitelisted)|unsupported|disabled|unavailable)|(?:unsupported|unknown|disallowed) method/i;

/** A node says that it no longer has data: since EIP-4444 by this code, and before in words. */
const historyGone = 4444;
const goneWords =
  /\bpruned\b|missing trie node|history (?:is )?(?:unavailable|not available)|historical (?:state|data|blocks?|receipts|logs)[^.]*(?:not available|unavailable)|state (?:is )?(?:not available|unavailable)/i;

/** A contract fails: geth's code for it (execution-apis), and the words of it and of others. */
const reverted = 3;
const revertedWords =
  /^(?:E?VM (?:execution error|exception|error)|(?:execution|transaction|call) (?:reverted|aborted)|revert(?:ed)?\b|invalid (?:opcode|jump)|stack (?:und|ov)erflow|out of gas)/i;

/** Of an endpoint's own words. */
const longestReason = 500;

/**
 * The failure behind an error of viem, sorted by who must do what.
 * @param redact takes the keys of the endpoint's URLs out of the reason. An endpoint may say them
 *   itself, and the reason is logged, stored and shown
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
  if (refusal !== undefined) {
    const { code, details: message, data } = refusal;
    return refusalOf({ code, message, data });
  }
  const http = firstCause(error, HttpRequestError);
  const { status, headers = new Headers(), details } = http ?? {};
  if (status !== undefined && isThrottlingStatus(status, headers)) {
    return throttledBy({ status, headers, text: details ?? "" });
  }
  return { kind: "unreachable", reason: connectionReason(error, http) };
}

type JsonRpcError = { code: number; message: string; data: unknown };

/** A status that asks for fewer requests, with a text or an error of JSON-RPC beside it. */
function throttledBy(of: { status: number; headers: Headers; text: string }): RpcFailure {
  const error = errorIn(of.text);
  // A range that is too wide is no matter of pace, whatever the status says.
  if (error !== null && isTooWide(error.message)) return refusalOf(error);
  return {
    kind: "throttled",
    retryAfterMs: retryAfterMs(of.headers) ?? (error === null ? null : waitIn(error)),
    reason: `HTTP status ${of.status}${wordsOf(error?.message ?? of.text)}`,
  };
}

/** The error of JSON-RPC that a body is, or the first of a batch; null: it is something else. */
function errorIn(text: string): JsonRpcError | null {
  try {
    const body: unknown = JSON.parse(text);
    const [first] = Array.isArray(body) ? body : [body];
    const { code, message, data } = first?.error ?? {};
    return typeof message === "string" ? { code: Number(code ?? 0), message, data } : null;
  } catch {
    return null;
  }
}

/**
 * The Fault for a failure. URLs, which often carry a provider's key, stay out of it: `who` names
 * the endpoint, and `facts.failure` says what kind it was.
 */
export function unavailable(who: string, what: string, failure: RpcFailure): Fault {
  return new Fault(
    "rpc_unavailable",
    `Endpoint ${who} gave no usable answer (${what}): ${failure.reason}.`,
    { facts: { endpoint: who, failure: failure.kind, ...refusalIn(failure) } },
  );
}

function refusalIn(failure: RpcFailure): { isGone?: true; isReverted?: true } {
  if (failure.kind !== "refused") return {};
  if (failure.isGone === true) return { isGone: true };
  return failure.isReverted === true ? { isReverted: true } : {};
}

function refusalOf(error: JsonRpcError): RpcFailure {
  const { code, message } = error;
  const reason = `error ${code}, ${message.replace(/\.$/, "")}`;
  // First, since a contract's own words follow, which may be any.
  if (code === reverted || revertedWords.test(message))
    return { kind: "refused", reason, isReverted: true };
  // Of the range that was asked for, not of the pace: slowing down would not help.
  if (isTooWide(message)) return { kind: "refused", reason };
  // Of this block, not of the method: it is still offered for newer ones.
  if (code === historyGone || goneWords.test(message))
    return { kind: "refused", reason, isGone: true };
  if (isThrottled(error)) return { kind: "throttled", retryAfterMs: waitIn(error), reason };
  const isUnsupported =
    code === methodNotFound || code === methodNotSupported || unsupportedWords.test(message);
  return { kind: isUnsupported ? "unsupported" : "refused", reason };
}

/** The text that came with the status, or HTTP's name of the status. viem gives a text as JSON. */
function wordsOf(details: string): string {
  const words = details.replace(/^"(.*)"$/s, "$1").replace(/\.$/, "");
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
