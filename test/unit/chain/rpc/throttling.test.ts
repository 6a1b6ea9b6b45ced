import { HttpRequestError, RpcRequestError } from "viem";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../src/chain/rpc/rpc-fault.ts";
import { retryAfterMs, throttledWordings, waitIn } from "../../../../src/chain/rpc/throttling.ts";

const url = "http://127.0.0.1:1/";

/** What a JSON-RPC error with that code and those words is taken for. */
function kindOf(code: number, message: string): string {
  const error = new RpcRequestError({ body: {}, error: { code, message }, url });
  return failureOf(error, (text) => text).kind;
}

/** As each provider words it, with a code that says nothing. See throttling.ts for the sources. */
const wordings: [string, string][] = [
  ["Alchemy", "Your app has exceeded its compute units per second capacity."],
  ["Alchemy", "Monthly capacity limit exceeded. Visit your dashboard to upgrade."],
  ["Infura", "project ID request rate exceeded"],
  ["Infura", "daily request count exceeded, request rate limited"],
  ["Infura", "You have reached your daily credit limit."],
  ["QuickNode", "endpoint hit 30/second request limit reached - reduce calls per second"],
  ["QuickNode", "credits limited to 6000/sec"],
  ["QuickNode", "The requests per second (RPS) of your requests are higher than your plan allows."],
  ["Chainstack", "You've exceeded the RPS limit available on the current plan."],
  ["Chainstack", "You've exceeded your monthly quota."],
  ["dRPC", "You've reached the free tier limit, please upgrade"],
  ["dRPC", "Too many request, try again later"],
  ["Ankr", "call rate limit exhausted, retry in 10s"],
  ["Tenderly", "rate limit exceeded"],
  ["Moralis", "Your plan: free-plan-daily total included usage has been consumed"],
  ["Blast API", "Rate limit reached"],
  ["PublicNode", "over rate limit"],
  ["PublicNode", "exceeded maximum number of requests"],
  ["NodeReal", "You have reached the maximum API usage limit of public."],
];

describe("an error that is not of JSON-RPC's form", () => {
  it.each([
    ["a text", "Too many requests", "throttled", "error 0, Too many requests"],
    ["a text of another kind", "no", "refused", "error 0, no"],
    ["no message", { code: -32_005 }, "throttled", "error -32005, without a message"],
    ["null for a message", { code: -1, message: null }, "refused", "error -1, without a message"],
    ["a number for a message", { message: 7 }, "refused", "error 0, without a message"],
    [
      "an object for a message",
      { code: "x", message: {} },
      "refused",
      "error 0, without a message",
    ],
    ["true", true, "refused", "error 0, without a message"],
  ])("is a refusal all the same: %s", (_what, said, kind, reason) => {
    const error = new RpcRequestError({ body: {}, error: said as never, url });
    expect(failureOf(error, (text) => text)).toMatchObject({ kind, reason });
  });
});

it("an error of megabytes is read no further than the words that are kept", () => {
  const message = "historical state ".repeat(400_000);
  expect(kindOf(-32_000, message)).toBe("refused");
});

describe("an endpoint that asks for fewer requests", () => {
  it.each(wordings)("%s is understood: %s", (provider, message) => {
    expect(Object.keys(throttledWordings)).toContain(provider);
    expect(kindOf(-32_000, message)).toBe("throttled");
  });

  it.each([-32_005, 429, -32_007, -32_012, -32_090])("is understood by the code %s", (code) => {
    expect(kindOf(code, "no")).toBe("throttled");
  });

  it.each([
    ["a range", -32_005, "query returned more than 10000 results", "refused"],
    ["a method", -32_601, "the method trace_block does not exist", "unsupported"],
    ["a block", -32_000, "header not found", "refused"],
    ["a state", -32_000, "missing trie node", "refused"],
  ])("is told from one that refuses %s", (_what, code, message, kind) => {
    expect(kindOf(code, message)).toBe(kind);
  });

  it("says how long to wait in seconds or as a date, which counts from its own clock", () => {
    const headers = (fields: Record<string, string>) => new Headers(fields);
    expect(retryAfterMs(headers({ "retry-after": "7" }))).toBe(7_000);
    const date = "Mon, 23 Nov 2026 12:00:00 GMT";
    const until = "Mon, 23 Nov 2026 12:00:09 GMT";
    expect(retryAfterMs(headers({ "retry-after": until, date }))).toBe(9_000);
    expect(retryAfterMs(headers({ "retry-after": date, date: until }))).toBe(0);
    expect(retryAfterMs(headers({ "retry-after": until }))).toBeNull();
    expect(retryAfterMs(headers({}))).toBeNull();
  });

  it.each([
    ["Infura", { rate: { allowed_rps: 5, backoff_seconds: 30 } }, "no", 30_000],
    ["Chainstack", { try_again_in: "250.5ms" }, "no", 251],
    ["a proxy", { retry_after_ms: 1_200 }, "no", 1_200],
    ["a proxy", { retryAfter: 2 }, "no", 2_000],
    ["Ankr", undefined, "call rate limit exhausted, retry in 10s", 10_000],
    ["nobody", { trace_id: "4b1f" }, "no", null],
  ])("says how long to wait as %s does", (_who, data, message, waitMs) => {
    expect(waitIn({ message, data })).toBe(waitMs);
  });

  it("is heard where its status comes with an error of JSON-RPC", () => {
    const details = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32_000, message: "no more", data: { rate: { backoff_seconds: 3 } } },
    });
    const of = (headers: Record<string, string>) =>
      failureOf(
        new HttpRequestError({ details, headers: new Headers(headers), status: 429, url }),
        (text) => text,
      );
    const reason = "HTTP status 429, no more";
    expect(of({ "retry-after": "7" })).toEqual({ kind: "throttled", retryAfterMs: 7_000, reason });
    expect(of({})).toEqual({ kind: "throttled", retryAfterMs: 3_000, reason });
  });
});
