/**
 * The way in which a chain's block hash is made from its header.
 *
 * - `ethereum`: as on Ethereum, with the fields of each fork at the end.
 * - `aura`: the same, with step and seal instead of mixHash and nonce. Gnosis and POA used it
 *   before the merge.
 * - `bor`: `miner` is empty, although some endpoints name the block's sealer there (Polygon).
 * - `avalanche`: with the C-Chain's own fields.
 * - `tempo`: Tempo's own fields around an Ethereum header.
 * - `own`: the hash does not follow from the JSON-RPC header (zkSync, Cosmos chains, Hedera), and
 *   cannot be rebuilt.
 */
export const headerEncodings = ["ethereum", "aura", "bor", "avalanche", "tempo", "own"] as const;

export type HeaderEncoding = (typeof headerEncodings)[number];
