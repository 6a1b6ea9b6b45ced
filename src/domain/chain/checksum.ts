import { createKeccak } from "hash-wasm";
import { Fault } from "../fault.ts";

/**
 * keccak-256 in WebAssembly. A page shows a hundred addresses, and in JavaScript each took 10 µs.
 */
const keccak = await createKeccak(256);

/** The forms that were made lately, by address. The oldest go first. A full map takes some 3 MB. */
const known = new Map<string, string>();
const maxKnown = 10_000;

/** The EIP-55 form of a lower-case 0x address. The outside sees this form. */
export function toChecksum(address: string): string {
  const before = known.get(address);
  if (before !== undefined) return before;
  const form = checksumOf(address);
  const oldest = known.keys().next();
  if (known.size >= maxKnown && !oldest.done) known.delete(oldest.value);
  known.set(address, form);
  return form;
}

/** A letter is upper case where the digit of the hash at its place is 8 or more. */
function checksumOf(address: string): string {
  if (!/^0x[0-9a-f]{40}$/.test(address)) {
    throw new Fault("invariant_broken", "Inside Chainbell an address is 0x and lower-case digits.");
  }
  const digits = address.slice(2);
  const hash = keccak.init().update(digits).digest("hex");
  const upper = digits.toUpperCase();
  let letters = "0x";
  for (let place = 0; place < digits.length; place += 1)
    letters += hash.charAt(place) >= "8" ? upper.charAt(place) : digits.charAt(place);
  return letters;
}
