/**
 * The layouts of the header's bytes that a chain's block hashes are made of.
 *
 * - `ethereum`: as on Ethereum, with the fields of each fork at the end.
 * - `aura`: the same, with step and seal in the place of mixHash and nonce. Gnosis and POA had this
 *   layout before the merge.
 * - `bor`: `miner` is empty. Some endpoints name the sealer of the block in its place (Polygon).
 * - `avalanche`: with the C-Chain's own fields.
 * - `tempo`: Tempo's own fields around an Ethereum header.
 * - `own`: a hash that no header on the wire gives (zkSync, Cosmos chains, Hedera). It cannot be
 *   rebuilt.
 */
export const headerEncodings = ["ethereum", "aura", "bor", "avalanche", "tempo", "own"] as const;

export type HeaderEncoding = (typeof headerEncodings)[number];
