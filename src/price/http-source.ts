import { z } from "zod";
import { decimalOf } from "./decimal.ts";
import type { Judged } from "./judge-feed.ts";

export type HttpSource = {
  url: string;
  maxAgeMs: number;
  minConfidence: number;
  /** The limit for one request, including the body. */
  timeoutMs: number;
};

/** The format of DefiLlama's `/prices/current/{keys}`. A missing key has no price. */
const answer = z.object({
  coins: z.record(
    z.string(),
    z.object({ price: z.number(), timestamp: z.number(), confidence: z.number().optional() }),
  ),
});

/** The number of keys in one URL: far fewer than servers accept. */
const keysPerRequest = 50;

/** Much more than the answer for that many keys needs. */
const maxAnswerBytes = 1_048_576;

/** The most that a price may be in the future. Clocks differ by less. */
const futureMs = 600_000;

/**
 * Reads and judges the source's answer for each key. A key that the source does not know is
 * refused. Throws if the source does not answer, or answers in another format.
 */
export async function readHttpPrices(
  source: HttpSource,
  keys: readonly string[],
  nowMs: number,
): Promise<Map<string, Judged>> {
  const judged = new Map<string, Judged>();
  for (let first = 0; first < keys.length; first += keysPerRequest) {
    const asked = keys.slice(first, first + keysPerRequest);
    const { coins } = answer.parse(await get(source, asked));
    for (const key of asked) judged.set(key, judge(coins[key], source, nowMs));
  }
  return judged;
}

async function get(source: HttpSource, keys: readonly string[]): Promise<unknown> {
  const path = keys.map((key) => encodeURIComponent(key)).join(",");
  const response = await fetch(`${source.url.replace(/\/$/, "")}/prices/current/${path}`, {
    signal: AbortSignal.timeout(source.timeoutMs),
    headers: { accept: "application/json" },
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The price source answered ${response.status}.`);
  }
  return JSON.parse(await limitedText(response));
}

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error("The price source's answer is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

type Coin = z.output<typeof answer>["coins"][string];

function judge(coin: Coin | undefined, source: HttpSource, nowMs: number): Judged {
  if (coin === undefined) return { kind: "refused", reason: "the source does not know it" };
  const usd = decimalOf(coin.price);
  if (usd === null || usd === "0") return { kind: "refused", reason: `the price is ${coin.price}` };
  if ((coin.confidence ?? 1) < source.minConfidence) {
    return { kind: "refused", reason: `the source's confidence is ${coin.confidence}` };
  }
  const asOfMs = Math.round(coin.timestamp * 1_000);
  if (asOfMs > nowMs + futureMs) return { kind: "refused", reason: "its time is in the future" };
  const freshUntilMs = asOfMs + source.maxAgeMs;
  if (freshUntilMs <= nowMs) return { kind: "refused", reason: "it is too old" };
  return { kind: "price", usd, asOfMs, freshUntilMs };
}
