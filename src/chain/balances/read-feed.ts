import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import type { Address } from "../../domain/chain/address.ts";
import { endpointHost, type Providers } from "../../domain/chain/endpoint-host.ts";
import { Fault } from "../../domain/fault.ts";
import { type FeedReading, type FeedWord, isSameFeed, oldestOf } from "../../domain/price/feed.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import type { Clock } from "../../runtime/clock.ts";
import { askHosts, isAgreed } from "../agreement/ask-hosts.ts";
import { batchingOver } from "../endpoints/batching.ts";
import { endpointNames } from "../endpoints/endpoint-names.ts";
import { hideKeys } from "../endpoints/hide-keys.ts";
import { failureOf, unavailable } from "../rpc/rpc-fault.ts";
import { createTransport, type RpcTransport } from "../rpc/rpc-transport.ts";
import { readData } from "../rpc/rpc-value.ts";

const abi = parseAbi([
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
  "function decimals() view returns (uint8)",
]);

/** Later than any real time, and still exact as a number. */
const maxTimeS = 8_640_000_000_000n;

type Said = FeedReading & { host: string; name: string };

/** One host whose endpoint price feeds are read from. */
type FeedHost = { host: string; read: (feed: Address) => Promise<Said> };

type FeedEndpoints = {
  urls: readonly string[];
  providers: Providers;
  timeoutMs: number;
  clock: Clock;
};

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

function openHosts({ urls, providers, timeoutMs, clock }: FeedEndpoints) {
  const names = endpointNames(urls);
  const redact = hideKeys(urls);
  return urls.map((url, index): FeedHost => {
    const transport = createTransport(url, timeoutMs, clock);
    const host = endpointHost(url, providers);
    const name = names[index] ?? host;
    return { host, read: createRead(transport, { host, name, redact }) };
  });
}

function createRead(
  transport: RpcTransport,
  of: { host: string; name: string; redact: (text: string) => string },
): FeedHost["read"] {
  const { host, name, redact } = of;
  const ask = batchingOver(transport, redact);
  const decimalsOf = new Map<Address, number>();

  async function call<Result>(
    feed: Address,
    data: `0x${string}`,
    decode: (answer: `0x${string}`) => Result,
  ): Promise<Result> {
    const what = `feed ${feed}`;
    const params = [{ to: feed, data }, "latest"];
    const answer = await ask({ method: "eth_call", params }).catch((error: unknown) => {
      const failure = failureOf(error, redact);
      // The next question opens a new connection.
      if (failure.kind === "unreachable") transport.drop();
      throw unavailable(name, what, failure);
    });
    try {
      return decode(readData(answer, what));
    } catch {
      throw unavailable(name, what, { kind: "refused", reason: "there is no such contract" });
    }
  }

  return async (feed) => {
    // A feed's decimals never change.
    const decimals = decimalsOf.get(feed) ?? (await call(feed, decimalsCall, toDecimals));
    decimalsOf.set(feed, decimals);
    const [, answer, startedAt, updatedAt] = await call(feed, roundCall, toRound);
    return {
      host,
      name,
      answer,
      decimals,
      startedAtMs: timeMs(startedAt),
      updatedAtMs: timeMs(updatedAt),
    };
  };
}

const decimalsCall = encodeFunctionData({ abi, functionName: "decimals" });
const roundCall = encodeFunctionData({ abi, functionName: "latestRoundData" });

function toDecimals(data: `0x${string}`): number {
  return decodeFunctionResult({ abi, functionName: "decimals", data });
}

function toRound(data: `0x${string}`) {
  return decodeFunctionResult({ abi, functionName: "latestRoundData", data });
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

function timeMs(seconds: bigint): number {
  return Number(seconds > maxTimeS ? maxTimeS : seconds) * 1_000;
}
