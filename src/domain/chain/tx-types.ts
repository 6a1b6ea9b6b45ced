/** EIP-2718 types beyond Ethereum's own 0 to 4, with the chains that have them. */
export const txTypes = {
  /** Stable: a fee-market transaction with a nonce key and a deadline. */
  stable: 0x3f,
  /** zkSync: its own transactions, and those that the parent chain orders. */
  zksync: 0x71,
  zksyncPriority: 0xff,
  /** Arbitrum Nitro. */
  arbitrumDeposit: 0x64,
  arbitrumUnsigned: 0x65,
  arbitrumContract: 0x66,
  arbitrumRetry: 0x68,
  arbitrumSubmitRetryable: 0x69,
  arbitrumInternal: 0x6a,
  /** Arbitrum One before Nitro. */
  arbitrumLegacy: 0x78,
  /** Tempo: several calls, fees in a token, signatures of several kinds. */
  tempo: 0x76,
  /** Base and X Layer: account abstraction (EIP-8130). */
  accountAbstraction: 0x79,
  /** Celo: fees in a token (CIP-64). */
  celo: 0x7b,
  /** OP stack: a transaction that the parent chain brings. */
  deposit: 0x7e,
  /** Polygon: a state sync that Heimdall brings. */
  stateSync: 0x7f,
} as const;

/**
 * True for Arbitrum's transactions that the parent chain or the node orders. They bring the coin
 * that pays for them.
 */
export function isPrepaid(type: number): boolean {
  return (
    type === txTypes.arbitrumDeposit ||
    type === txTypes.arbitrumSubmitRetryable ||
    type === txTypes.arbitrumRetry
  );
}

const known = new Set<number>([0, 1, 2, 3, 4, ...Object.values(txTypes)]);

/** Types with a list of calls. Only traces show how much coin those calls move. */
const ofCalls = new Set<number>([txTypes.tempo, txTypes.accountAbstraction]);

/**
 * True if a transaction of that type always names the coin that it moves. False for an unknown
 * type.
 */
export function hasValue(type: number): boolean {
  return known.has(type) && !ofCalls.has(type);
}
