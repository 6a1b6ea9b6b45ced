// The prices of providers for a call, in their own units. Looked up on 2026-11-22. Sources:
// - Alchemy: its table of compute units as of 2025 and 2026; announcements by the byte
//   (docs.alchemy.com, compute units)
// - Infura: docs.metamask.io, services/get-started/pricing/credit-cost
// - QuickNode: quicknode.com/api-credits: 20 for each call of an EVM chain, twice that for traces.
//   The price of an announcement was not found. It counts as a call.

/** The prices of a provider, in units of its own. */
export type Prices = {
  /** The end of the provider's host names. */
  hosts: string;
  unit: string;
  /** The price of a call whose method is not listed. */
  other: number;
  calls: Record<string, number>;
  /** The price of one announced head, and of each of its bytes. */
  announced: { each: number; byte: number };
};

/** The calls to an endpoint by method, and the heads that it announced. */
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

/** The prices of the provider that runs this host; null: they are not known. */
export function pricesOf(host: string): Prices | null {
  const { hostname } = new URL(`http://${host}`);
  return Object.values(prices).find(({ hosts }) => hostname.endsWith(hosts)) ?? null;
}

/** The price of these calls and announcements at a provider, in its own units. */
export function chargeOf(
  { calls, announced, announcedBytes }: Asked,
  { other, calls: perCall, announced: perHead }: Prices,
): number {
  let charge = announced * perHead.each + announcedBytes * perHead.byte;
  for (const [method, count] of calls) charge += count * (perCall[method] ?? other);
  return charge;
}
