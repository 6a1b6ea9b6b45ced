import { createPublicClient, http, parseAbi, type Transport, webSocket } from "viem";
import type { Address } from "../../domain/chain/address.ts";
import { endpointHost, type Providers } from "../../domain/chain/endpoint-host.ts";
import { Fault } from "../../domain/fault.ts";
import { type FeedReading, type FeedWord, isSameFeed, oldestOf } from "../../domain/price/feed.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import { askHosts, isAgreed } from "../endpoints/ask-hosts.ts";
import { endpointNames } from "../endpoints/endpoint-names.ts";
import { hideKeys } from "../endpoints/hide-keys.ts";
import { failureOf, unavailable } from "../rpc/rpc-fault.ts";

const abi = parseAbi([
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
  "function decimals() view returns (uint8)",
]);

/** Later than any real time, and still exact as a number. */
const maxTimeS = 8_640_000_000_000n;

type Said = FeedReading & { host: string; name: string };

/** One host whose endpoint price feeds are read from. */
type FeedHost = { host: string; read: (feed: Address) => Promise<Said> };

type FeedEndpoints = { urls: readonly string[]; providers: Providers; timeoutMs: number };

const rule: AgreementRule<Said> = { needed: 2, isSame: isSameFeed };

/**
 * Reads Chainlink aggregators of one chain at its head. It has endpoints of its own, so that
 * reading prices never delays watching. It asks two hosts if there are two.
 * @throws Fault `rpc_unavailable`, also if there is no such contract; `rpc_inconsistent` if hosts
 *   answer and no two of them agree
 */
export function createFeedReader(endpoints: FeedEndpoints) {
  const hosts = openHosts(endpoints);
  return async (feed: Address): Promise<FeedWord> => {
    const first = await firstOf(hosts, feed);
    const answers = await askHosts(hosts, first, {
      ask: ({ read }) => read(feed),
      isEnough: isAgreed(rule),
    });
    const verdict = judge(answers, rule);
    if (verdict.kind === "disputed") throw disagreement(feed, answers.values);
    const also = verdict.kind === "agreed" ? verdict.also : [];
    const value = verdict.kind === "agreed" ? verdict.value : first;
    const standing = verdict.kind === "refused" ? "silent" : verdict.kind;
    return { ...oldestOf(value, also), standing };
  };
}

function openHosts({ urls, providers, timeoutMs }: FeedEndpoints) {
  const options = { timeout: timeoutMs, retryCount: 0 };
  const names = endpointNames(urls);
  const redact = hideKeys(urls);
  return urls.map((url, index): FeedHost => {
    const transport: Transport = /^wss?:/i.test(url)
      ? webSocket(url, options)
      : http(url, { ...options, batch: { batchSize: 100, wait: 0 } });
    const host = endpointHost(url, providers);
    const name = names[index] ?? host;
    return { host, read: createRead(transport, { host, name, redact }) };
  });
}

function createRead(
  transport: Transport,
  of: { host: string; name: string; redact: (text: string) => string },
): FeedHost["read"] {
  const { host, name, redact } = of;
  const client = createPublicClient({ transport });
  const decimalsOf = new Map<Address, number>();

  return async (feed) => {
    const read = <Name extends "latestRoundData" | "decimals">(functionName: Name) =>
      client.readContract({ abi, address: feed, functionName }).catch((error: unknown) => {
        throw unavailable(name, `feed ${feed}`, failureOf(error, redact));
      });
    // A feed's decimals never change.
    const decimals = decimalsOf.get(feed) ?? Number(await read("decimals"));
    decimalsOf.set(feed, decimals);
    const round = await read("latestRoundData");
    if (!Array.isArray(round))
      throw new Fault("rpc_inconsistent", `The feed ${feed} has no round.`);
    const [, answer, startedAt, updatedAt] = round as readonly bigint[];
    return {
      host,
      name,
      answer: answer ?? 0n,
      decimals,
      startedAtMs: timeMs(startedAt),
      updatedAtMs: timeMs(updatedAt),
    };
  };
}

/** The first answer, in the order of the endpoints. */
async function firstOf(hosts: readonly FeedHost[], feed: Address): Promise<Said> {
  let failure: unknown = new Fault("invariant_broken", "A chain has an endpoint.");
  for (const { read } of hosts) {
    try {
      return await read(feed);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function disagreement(feed: Address, said: readonly Said[]): Fault {
  const endpoints = said.map(({ name }) => name).join(", ");
  return new Fault("rpc_inconsistent", `Endpoints differ in the feed ${feed}: ${endpoints}.`, {
    facts: { endpoints },
  });
}

function timeMs(seconds = 0n): number {
  return Number(seconds > maxTimeS ? maxTimeS : seconds) * 1_000;
}
