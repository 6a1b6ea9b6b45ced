// Hexadecimal text as 32-bit words: an address is five of them, a UUID four.

const digits = 8;

/** The value of a hexadecimal digit by its character code: without a branch, which would be guessed wrong half of the time. */
function digitOf(code: number): number {
  return (code & 0xf) + (code >> 6) * 9;
}

function wordAt(text: string, start: number): number {
  let word = 0;
  for (let at = start; at < start + digits; at += 1)
    word = (word << 4) | digitOf(text.charCodeAt(at));
  return word >>> 0;
}

/** An address as bytes, its digits from the fourth on. */
const bytes = Buffer.alloc(44);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Writes a lower-case or upper-case 0x address: every address of every block comes through here. */
export function writeAddress(address: string, words: Uint32Array, at: number): void {
  bytes.write(address, 2, 42, "latin1");
  for (let word = 0; word < 5; word += 1) {
    const start = 4 + word * digits;
    words[at + word] = (halfWordAt(start) << 16) | halfWordAt(start + 4);
  }
}

/** Four digits of `bytes` at once: the value of each as in digitOf, then the four moved together. */
function halfWordAt(start: number): number {
  const codes = view.getUint32(start, true);
  const values = (codes & 0x0f0f0f0f) + ((codes >>> 6) & 0x01010101) * 9;
  return ((values & 0xf) << 12) | (values & 0xf00) | ((values >>> 12) & 0xf0) | (values >>> 24);
}

export function readAddress(words: Uint32Array, at: number): `0x${string}` {
  return `0x${hex(words, at)}${hex(words, at + 1)}${hex(words, at + 2)}${hex(words, at + 3)}${hex(words, at + 4)}`;
}

/** Writes a UUID in its canonical form. */
export function writeId(id: string, words: Uint32Array, at: number): void {
  words[at] = wordAt(id, 0);
  words[at + 1] = wordAt(`${id.slice(9, 13)}${id.slice(14, 18)}`, 0);
  words[at + 2] = wordAt(`${id.slice(19, 23)}${id.slice(24, 28)}`, 0);
  words[at + 3] = wordAt(id, 28);
}

export function readId(words: Uint32Array, at: number): string {
  const [second, third] = [hex(words, at + 1), hex(words, at + 2)];
  const middle = `${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}`;
  return `${hex(words, at)}-${middle}${hex(words, at + 3)}`;
}

function hex(words: Uint32Array, at: number): string {
  return (words[at] ?? 0).toString(16).padStart(digits, "0");
}
