import { createPublicClient, fallback, http, parseAbi, type Transport, webSocket } from "viem";
import type { Address } from "../../domain/chain/address.ts";
import { Fault } from "../../domain/fault.ts";
import { endpointNames } from "../endpoints/endpoint-names.ts";
import { hideKeys } from "../endpoints/hide-keys.ts";
import { failureOf, unavailable } from "../rpc/rpc-fault.ts";

type FeedReading = {
  answer: bigint;
  decimals: number;
  startedAtMs: number;
  updatedAtMs: number;
};

const abi = parseAbi([
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
  "function decimals() view returns (uint8)",
]);

/** Far beyond any real time, and still a number that is exact. */
const maxTimeS = 8_640_000_000_000n;

/**
 * Reads Chainlink aggregators of one chain at its head, on endpoints of its own, so that reading
 * prices never holds up watching. Rejects with Fault `rpc_unavailable`, also where there is no such
 * contract.
 */
export function createFeedReader(endpoints: { urls: readonly string[]; timeoutMs: number }) {
  const options = { timeout: endpoints.timeoutMs, retryCount: 0 };
  const transports = endpoints.urls.map(
    (url): Transport =>
      /^wss?:/i.test(url)
        ? webSocket(url, options)
        : http(url, { ...options, batch: { batchSize: 100, wait: 0 } }),
  );
  const client = createPublicClient({ transport: fallback(transports, { retryCount: 0 }) });
  const names = endpointNames(endpoints.urls).join(", ");
  const redact = hideKeys(endpoints.urls);
  const decimalsOf = new Map<Address, number>();

  return async (feed: Address): Promise<FeedReading> => {
    const read = <Name extends "latestRoundData" | "decimals">(functionName: Name) =>
      client.readContract({ abi, address: feed, functionName }).catch((error: unknown) => {
        throw unavailable(names, `feed ${feed}`, failureOf(error, redact));
      });
    // It never changes.
    const decimals = decimalsOf.get(feed) ?? Number(await read("decimals"));
    decimalsOf.set(feed, decimals);
    const round = await read("latestRoundData");
    if (!Array.isArray(round))
      throw new Fault("rpc_inconsistent", `The feed ${feed} has no round.`);
    const [, answer, startedAt, updatedAt] = round as readonly bigint[];
    return {
      answer: answer ?? 0n,
      decimals,
      startedAtMs: timeMs(startedAt),
      updatedAtMs: timeMs(updatedAt),
    };
  };
}

function timeMs(seconds = 0n): number {
  return Number(seconds > maxTimeS ? maxTimeS : seconds) * 1_000;
}
