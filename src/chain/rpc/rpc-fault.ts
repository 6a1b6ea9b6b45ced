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
  /** The endpoint works, but does not offer the method. */
  | { kind: "unsupported"; reason: string }
  /**
   * The endpoint works, but refuses this request. `isGone`: it has deleted the data. `isAbsent`: it
   * does not have the block, and may be behind. `isReverted`: the called contract failed.
   */
  | { kind: "refused"; reason: string; isGone?: true; isAbsent?: true; isReverted?: true };

/** JSON-RPC 2.0, section 5.1, and EIP-1474. */
const methodNotFound = -32601;
const methodNotSupported = -32004;

/** The words of providers that have codes of their own. */
const unsupportedWords =
  /(?:method|module|namespace|trac(?:e|ing)|debug_|trace_)[^.]*(?:not (?:exist|found|available|supported|allowed|enabled|whitelisted)|unsupported|disabled|unavailable)|(?:unsupported|unknown|disallowed) method/i;

/** A node has deleted data: the code since EIP-4444, and words from before it. */
const historyGone = 4444;
const goneWords =
  /\bpruned\b|missing trie node|history (?:is )?(?:unavailable|not available)|historical (?:state|data|blocks?|receipts|logs)[^.]*(?:not available|unavailable)|state (?:is )?(?:not available|unavailable)/i;

/** A node does not have a block: the words of geth and Reth, Erigon, Besu and Nethermind. */
const absentWords =
  /\b(?:block|header|hash)\b.*\bnot (?:be )?found\b|\bunknown (?:block|header)\b/i;

/** A contract fails: geth's code (execution-apis), and the words of geth and of others. */
const reverted = 3;
const revertedWords =
  /^(?:E?VM (?:execution error|exception|error)|(?:execution|transaction|call) (?:reverted|aborted)|revert(?:ed)?\b|invalid (?:opcode|jump)|stack (?:und|ov)erflow|out of gas)/i;

/**
 * At most this many characters of an endpoint's message are read. The patterns would take minutes
 * for megabytes of their words.
 */
const longestMessage = 2_000;

/** At most this many characters of an endpoint's own words are kept. */
const longestReason = 500;

/**
 * The failure behind an error of viem, sorted by who must act.
 * @param redact removes the keys of the endpoint's URLs from the reason. An endpoint may repeat
 *   them, and the reason is logged, stored and shown
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
  if (refusal !== undefined) return refusalOf(errorOf(refusal));
  const http = firstCause(error, HttpRequestError);
  const { status, headers = new Headers(), details } = http ?? {};
  if (status !== undefined && isThrottlingStatus(status, headers)) {
    return throttledBy({ status, headers, text: details ?? "" });
  }
  return { kind: "unreachable", reason: connectionReason(error, http) };
}

type JsonRpcError = { code: number; message: string; data: unknown };

/**
 * The JSON-RPC error behind viem's. An endpoint may leave out its code or its message, or send a
 * text alone.
 */
function errorOf({ code, details, data, cause }: RpcRequestError): JsonRpcError {
  const said = [details, cause].find((one: unknown) => typeof one === "string");
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof said === "string" ? said.slice(0, longestMessage) : "without a message",
    data,
  };
}

/** The failure of a status that asks for fewer requests, with its text or JSON-RPC error. */
function throttledBy(of: { status: number; headers: Headers; text: string }): RpcFailure {
  const error = errorIn(of.text);
  // Too wide a range is not a matter of pace, whatever the status.
  if (error !== null && isTooWide(error.message)) return refusalOf(error);
  return {
    kind: "throttled",
    retryAfterMs: retryAfterMs(of.headers) ?? (error === null ? null : waitIn(error)),
    reason: `HTTP status ${of.status}${wordsOf(error?.message ?? of.text)}`,
  };
}

/** The JSON-RPC error in a body, or the first of a batch; null: there is none. */
function errorIn(text: string): JsonRpcError | null {
  try {
    const body: unknown = JSON.parse(text);
    const [first] = Array.isArray(body) ? body : [body];
    const { code, message, data } = first?.error ?? {};
    if (typeof message !== "string") return null;
    return { code: Number(code ?? 0), message: message.slice(0, longestMessage), data };
  } catch {
    return null;
  }
}

/**
 * The Fault for a failure. `who` names the endpoint. URLs are left out, since they often contain a
 * provider's key. `facts.failure` is the kind of failure.
 */
export function unavailable(who: string, what: string, failure: RpcFailure): Fault {
  return new Fault(
    "rpc_unavailable",
    `Endpoint ${who} gave no usable answer (${what}): ${failure.reason}.`,
    { facts: { endpoint: who, failure: failure.kind, ...refusalIn(failure) } },
  );
}

function refusalIn(
  failure: RpcFailure,
): Omit<Extract<RpcFailure, { kind: "refused" }>, "kind" | "reason"> {
  if (failure.kind !== "refused") return {};
  const { kind: _, reason: __, ...why } = failure;
  return why;
}

function refusalOf(error: JsonRpcError): RpcFailure {
  const { code, message } = error;
  const reason = `error ${code}, ${message.replace(/\.$/, "")}`;
  // Tested first, because the contract's own words follow, which may match any other pattern.
  if (code === reverted || revertedWords.test(message))
    return { kind: "refused", reason, isReverted: true };
  // The range is the cause, not the pace. Slowing down would not help.
  if (isTooWide(message)) return { kind: "refused", reason };
  // This block is the cause, not the method, which still works for newer blocks.
  if (code === historyGone || goneWords.test(message))
    return { kind: "refused", reason, isGone: true };
  if (isThrottled(error)) return { kind: "throttled", retryAfterMs: waitIn(error), reason };
  const isUnsupported =
    code === methodNotFound || code === methodNotSupported || unsupportedWords.test(message);
  if (isUnsupported) return { kind: "unsupported", reason };
  return { kind: "refused", reason, ...(absentWords.test(message) ? { isAbsent: true } : {}) };
}

/**
 * The text that came with the status, or HTTP's name of the status. viem gives the text as JSON.
 */
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
