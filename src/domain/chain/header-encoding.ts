/**
 * How a chain's headers are laid out in the bytes that its block hashes are made of. `ethereum`: as on Ethereum, with
 * the fields of each fork at the end. `aura`: the same with step and seal in the place of mixHash and nonce, as Gnosis
 * and POA had them before the merge. `bor`: the `miner` is empty, and some endpoints name who sealed the block in its
 * place (Polygon). `avalanche`: with the C-Chain's own fields. `tempo`: Tempo's own fields around an
 * Ethereum header. `own`: a hash that no header on the wire gives (zkSync, Cosmos chains, Hedera); it cannot be rebuilt.
 */
export const headerEncodings = ["ethereum", "aura", "bor", "avalanche", "tempo", "own"] as const;

export type HeaderEncoding = (typeof headerEncodings)[number];
