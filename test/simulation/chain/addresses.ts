import type { Address } from "../../../src/domain/chain/address.ts";

function addressOf(kind: string, index: number): Address {
  return `0x${kind}${index.toString(16).padStart(40 - kind.length, "0")}`;
}

function addresses(kind: string, count: number): Address[] {
  return Array.from({ length: count }, (_, index) => addressOf(kind, index + 1));
}

/** Addresses that businesses may have watched, for some time or never. */
export const customers: readonly Address[] = addresses("a11ce", 10);
export const strangers: readonly Address[] = addresses("b0b", 4);

/** Tokens that may be configured, and one that never is. */
export const tokens: readonly Address[] = addresses("70ce", 3);
export const unknownToken: Address = addressOf("5ba3", 1);

/** Mints tokens and holds more of the coin than is ever moved. */
export const whale: Address = addressOf("ffa1e", 1);

/** What most transactions call. */
export const contract: Address = addressOf("c0de", 1);

export function holdingKey(walletAddress: string, assetAddress: string): string {
  return `${walletAddress}/${assetAddress}`;
}
