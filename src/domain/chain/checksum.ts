import { createKeccak } from "hash-wasm";
import { Fault } from "../fault.ts";

/**
 * keccak-256 in WebAssembly. A page shows a hundred addresses, and JavaScript took 10 µs for each.
 */
const keccak = await createKeccak(256);

/**
 * The last forms, by address: enough for wallets and pages that are read again. Each entry of a
 * statement has a new address. With 10,000 forms, each outlived the collection of young garbage,
 * and that took more time than making it again.
 */
const known = new Map<string, string>();
const maxKnown = 256;

/** The bytes of the form that is being made, and its digits after `0x`. */
const form = Buffer.alloc(42);
const digits = form.subarray(2);

/** The EIP-55 form of a lower-case 0x address. Answers and messages show this form. */
export function toChecksum(address: string): string {
  const before = known.get(address);
  if (before !== undefined) return before;
  const made = checksumOf(address);
  const oldest = known.keys().next();
  if (known.size >= maxKnown && !oldest.done) known.delete(oldest.value);
  known.set(address, made);
  return made;
}

/**
 * A letter becomes upper case if the hash has a digit of 8 or more at its place. Working on bytes
 * takes half the time of joining texts, and makes a single text.
 */
function checksumOf(address: string): string {
  if (!/^0x[0-9a-f]{40}$/.test(address)) {
    throw new Fault("invariant_broken", "Inside Chainbell an address is 0x and lower-case digits.");
  }
  form.write(address, "latin1");
  const hash = keccak.init().update(digits).digest("binary");
  for (let place = 0; place < digits.length; place += 1) {
    const two = hash[place >> 1] ?? 0;
    const hashDigit = place % 2 === 0 ? two >> 4 : two & 15;
    const digit = digits[place] ?? 0;
    // In ASCII a lower-case letter is 32 above its upper case, and digits are below both.
    if (hashDigit >= 8 && digit >= 97) digits[place] = digit - 32;
  }
  return form.toString("latin1");
}
