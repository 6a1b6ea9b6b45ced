// The ways in which endpoints ask for fewer requests: by status, by code, or in words, and with a
// wait.

/**
 * The words of each provider, where its answer has no status 429 or comes by websocket. Sources, as
 * of 2026-11:
 * - Alchemy: latticexyz/mud#1522; its page of error codes ("monthly capacity limit")
 * - Infura: docs.metamask.io, avoid rate limiting; rainshowerLabs/blutgang#88;
 *   status-im/status-go#4807
 * - QuickNode: quicknode.com/docs, error references; latticexyz/mud#1522 (-32012); dank_mids
 *   (-32007)
 * - Chainstack: docs.chainstack.com, API errors reference (-32005)
 * - dRPC: drpc.org/docs, rate limiting; erpc/erpc ("free tier"); enviodev/hyperindex#715
 * - Ankr: ankr.com/docs, errors ("call rate limit exhausted, retry in 10s")
 * - Tenderly: fluencelabs/dev-rewards#20
 * - Moralis: trufflesuite/ganache#2736; its answer to a free plan that is used up
 * - Blast API, PublicNode and the nodes of Base: AstarNetwork/astar-apps#818, base/node#368
 * - NodeReal and others: erpc/erpc ("reached the quota"), bnb-chain.github.io#38
 */
export const throttledWordings: Readonly<Record<string, RegExp>> = {
  "any of them": /rate[ -]?limit|too many requests?|\bthrottl/i,
  Alchemy: /throughput|capacity (?:limit|exceeded)|exceeded [^.]*\bcapacity/i,
  Infura: /request (?:rate|count) exceeded|(?:daily|monthly) credit limit/i,
  QuickNode: /request limit|requests per second|credits limited to|plan allows/i,
  Chainstack: /\bRPS limit\b|\bquota\b/i,
  dRPC: /free[ -]tier|usage limit/i,
  Ankr: /call rate limit|retry in \d/i,
  Tenderly: /rate limit exceeded/i,
  Moralis: /usage has been consumed/i,
  "Blast API": /rate limit reached/i,
  PublicNode: /over rate limit|exceeded [^.]*\brequests\b/i,
  NodeReal: /API usage limit|reached the quota/i,
};

/** EIP-1474's code, and those of providers that use HTTP's status or a code of their own. */
const throttledCodes: ReadonlySet<number> = new Set([
  -32_005, 429,
  // QuickNode: requests a second, requests a minute, credits a second.
  -32_007, -32_008, -32_012,
  // Ankr, and providers that use MCP's code.
  -32_090, -32_029,
]);

/** True if a JSON-RPC error asks for fewer requests. */
export function isThrottled({ code, message }: { code: number; message: string }): boolean {
  if (throttledCodes.has(code)) return true;
  return Object.values(throttledWordings).some((words) => words.test(message));
}

/**
 * True if a status asks for fewer requests. These are 429, 503 with a wait (RFC 9110, 15.6.4), and
 * 402. Infura answers 402 for a used-up day.
 */
export function isThrottlingStatus(status: number, headers: Headers): boolean {
  return status === 429 || status === 402 || (status === 503 && headers.has("retry-after"));
}

/**
 * The wait in `Retry-After`, in ms: seconds, or a date (RFC 9110, 10.2.3). A date is compared with
 * the answer's own date, because two clocks differ.
 */
export function retryAfterMs(headers: Headers | undefined): number | null {
  const text = headers?.get("retry-after")?.trim() ?? "";
  if (/^\d{1,6}(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  const untilMs = Date.parse(text);
  const sentMs = Date.parse(headers?.get("date") ?? "");
  return Number.isNaN(untilMs) || Number.isNaN(sentMs) ? null : Math.max(0, untilMs - sentMs);
}

/** The fields of an error's data that hold the wait, and the ms of one unit of a plain number. */
const waits: Readonly<Record<string, number>> = {
  // Infura, in `data.rate`.
  backoff_seconds: 1_000,
  // Chainstack, as a duration of Go.
  try_again_in: 1_000,
  retry_after: 1_000,
  retryAfter: 1_000,
  retry_after_ms: 1,
  retryAfterMs: 1,
};

/** The wait in ms that an error asks for, in its data or its words. Null: it names none. */
export function waitIn({ message, data }: { message: string; data: unknown }): number | null {
  const inWords = /(?:retry|try again)[ _](?:in|after) (\d[\d.]*(?:ms|s|m)?)\b/i.exec(message)?.[1];
  return waitInData(data, 2) ?? (inWords === undefined ? null : duration(inWords, 1_000));
}

function waitInData(data: unknown, depth: number): number | null {
  if (typeof data !== "object" || data === null) return null;
  for (const [name, value] of Object.entries(data)) {
    const unitMs = waits[name];
    const wait = unitMs === undefined ? null : duration(value, unitMs);
    const found = wait ?? (depth > 0 ? waitInData(value, depth - 1) : null);
    if (found !== null) return found;
  }
  return null;
}

/** A number of units, or a text such as `250.5ms`, `10s` or `2m`. */
function duration(value: unknown, unitMs: number): number | null {
  const text = typeof value === "number" ? String(value) : value;
  const parts = typeof text === "string" ? /^(\d+(?:\.\d+)?) ?(ms|s|m)?$/.exec(text) : null;
  if (parts === null) return null;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };
  return Math.ceil(Number(parts[1]) * (units[parts[2] ?? ""] ?? unitMs));
}
