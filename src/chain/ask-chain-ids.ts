import type { Clock } from "../runtime/clock.ts";
import { createTransport } from "./rpc/rpc-transport.ts";
import { readQuantity } from "./rpc/rpc-value.ts";

/** A start of the process waits at most this long, in ms. */
const timeoutMs = 5_000;

/**
 * Asks each URL which chain it serves, all at once. Never throws.
 * @returns the different chain ids that were answered
 */
export async function askChainIds(urls: readonly string[], clock: Clock): Promise<Set<number>> {
  const answers = await Promise.allSettled(urls.map((url) => askChainId(url, clock)));
  return new Set(answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
}

async function askChainId(url: string, clock: Clock): Promise<number> {
  const transport = createTransport(url, timeoutMs, clock);
  try {
    const answer = await transport.request({ method: "eth_chainId", params: [] });
    return Number(readQuantity(answer, "chain id"));
  } finally {
    transport.close();
  }
}
