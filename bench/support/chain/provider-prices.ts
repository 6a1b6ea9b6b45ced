// What providers charge for a call, in their own units. Looked up on 2026-11-22. Sources:
// - Alchemy: its table of compute units as of 2025 and 2026; announcements by the byte (docs.alchemy.com, compute units)
// - Infura: docs.metamask.io, services/get-started/pricing/credit-cost
// - QuickNode: quicknode.com/api-credits: 20 for each call of an EVM chain, twice that for traces. What an announcement
//   costs was not found; it counts as a call.

export type Prices = {
  unit: string;
  /** Of a call whose method is not named. */
  other: number;
  calls: Record<string, number>;
  /** Of one announced head. */
  announced: { each: number; byte: number };
};

export const prices: Record<string, Prices> = {
  Alchemy: {
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
    unit: "credits",
    other: 20,
    calls: { debug_traceBlockByHash: 40, trace_block: 40 },
    announced: { each: 20, byte: 0 },
  },
};
