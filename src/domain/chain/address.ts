import { Fault } from "../fault.ts";
import { toChecksum } from "./checksum.ts";

/** A lower-case 0x address: the only form inside Chainbell. */
export type Address = `0x${string}`;

/** The sender of a mint, as tokens emit it. */
export const zeroAddress: Address = "0x0000000000000000000000000000000000000000";

/**
 * Reads an address in any case. A mixed-case address must have the right EIP-55 checksum.
 * @throws Fault `invalid_address`
 */
export function parseAddress(text: string): Address {
  const lower = text.toLowerCase();
  if (!/^0x[0-9a-f]{40}$/.test(lower)) {
    throw new Fault(
      "invalid_address",
      `'${text}' is not an address: write 0x and 40 hexadecimal digits.`,
    );
  }
  const digits = text.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && text !== toChecksum(lower)) {
    throw new Fault(
      "invalid_address",
      `'${text}' has a wrong EIP-55 checksum: check it for a typing error, or write it in lower case.`,
    );
  }
  return lower as Address;
}

/**
 * The middle part of a virtual address. Before it are four bytes that name the master wallet, and
 * after it six that the owner chose (TIP-1022).
 */
const marker = "fd".repeat(10);

/**
 * True if the address is virtual on Tempo. A virtual address holds nothing. The chain forwards
 * payments of TIP-20 tokens to the master wallet that is registered for it.
 */
export function isVirtualAddress(address: Address): boolean {
  return address.slice(10, 30) === marker;
}
