// The prices of providers for a call, in their own units. Looked up on 2026-11-22. Sources:
// - Alchemy: its table of compute units as of 2025 and 2026; announcements by the byte
//   (docs.alchemy.com, compute units)
// - Infura: docs.metamask.io, services/get-started/pricing/credit-cost
// - QuickNode: quicknode.com/api-credits: 20 for each call of an EVM chain, twice that for traces.
//   The price of an announcement was not found. It counts as a call.

/** The prices of a provider, in units of its own. */
export type Prices = {
  /** Where the provider's hosts end. */
  hosts: string;
  unit: string;
  /** Of a call whose method is not named. */
  other: number;
  calls: Record<string, number>;
  /** Of one announced head. */
  announced: { each: number; byte: number };
};

/** The calls to an endpoint, and the heads that it announced. */
export type Asked = {
  calls: ReadonlyMap<string, number>;
  /** Heads, by websocket. */
  announced: number;
  announcedBytes: number;
};

export const prices: Record<string, Prices> = {
  Alchemy: {
    hosts: ".alchemy.com",
    unit: "CU",
    other: 20,
    calls: {
      eth_blockNumber: 10,
      eth_chainId: 0,
      eth_getLogs: 60,
      debug_traceBlockByHash: 40,
    },
    announced: { each: 0, byte: 0.04 },
  },
  Infura: {
    hosts: ".infura.io",
    unit: "credits",
    other: 80,
    calls: {
      eth_chainId: 5,
      eth_getBlockReceipts: 1_000,
      eth_getLogs: 255,
      debug_traceBlockByHash: 1_000,
      trace_block: 300,
      eth_getProof: 150,
    },
    announced: { each: 50, byte: 0 },
  },
  QuickNode: {
    hosts: ".quiknode.pro",
    unit: "credits",
    other: 20,
    calls: { debug_traceBlockByHash: 40, trace_block: 40 },
    announced: { each: 20, byte: 0 },
  },
};

/** The prices of the provider of this host. Null: its prices are not known here. */
export function pricesOf(host: string): Prices | null {
  const { hostname } = new URL(`http://${host}`);
  return Object.values(prices).find(({ hosts }) => hostname.endsWith(hosts)) ?? null;
}

/** The charge of a provider for these calls of each method, and for these announcements. */
export function chargeOf(
  { calls, announced, announcedBytes }: Asked,
  { other, calls: perCall, announced: perHead }: Prices,
): number {
  let charge = announced * perHead.each + announcedBytes * perHead.byte;
  for (const [method, count] of calls) charge += count * (perCall[method] ?? other);
  return charge;
}
