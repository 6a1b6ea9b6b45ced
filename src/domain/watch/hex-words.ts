// Hexadecimal text as 32-bit words: an address is five of them, a UUID four.

const digits = 8;

/**
 * The value of a hexadecimal digit, by its character code. It has no branch, because the processor
 * would mispredict half of them.
 */
function digitOf(code: number): number {
  return (code & 0xf) + (code >> 6) * 9;
}

function wordAt(text: string, start: number): number {
  let word = 0;
  for (let at = start; at < start + digits; at += 1)
    word = (word << 4) | digitOf(text.charCodeAt(at));
  return word >>> 0;
}

/** The bytes of an address. Its digits begin at offset 4. */
const bytes = Buffer.alloc(44);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Writes a lower-case or upper-case 0x address. It runs for every address of every block. */
export function writeAddress(address: string, words: Uint32Array, at: number): void {
  bytes.write(address, 2, 42, "latin1");
  for (let word = 0; word < 5; word += 1) {
    const start = 4 + word * digits;
    words[at + word] = (halfWordAt(start) << 16) | halfWordAt(start + 4);
  }
}

/** The value of four digits of `bytes` at once: each as in digitOf, then joined. */
function halfWordAt(start: number): number {
  const codes = view.getUint32(start, true);
  const values = (codes & 0x0f0f0f0f) + ((codes >>> 6) & 0x01010101) * 9;
  return ((values & 0xf) << 12) | (values & 0xf00) | ((values >>> 12) & 0xf0) | (values >>> 24);
}

/** Two digits for each byte, as their character codes. */
const digitPairs = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, "0")).readUInt16BE(),
);

/** A buffer for making a text, in a twentieth of the time of joining strings. */
const text = Buffer.alloc(42);

export function readAddress(words: Uint32Array, at: number): `0x${string}` {
  text.write("0x", 0, "latin1");
  for (let word = 0; word < 5; word += 1) putWord(words[at + word] ?? 0, 2 + word * digits);
  return text.toString("latin1", 0, 42) as `0x${string}`;
}

/** Writes a UUID in its canonical form. */
export function writeId(id: string, words: Uint32Array, at: number): void {
  words[at] = wordAt(id, 0);
  words[at + 1] = wordAt(`${id.slice(9, 13)}${id.slice(14, 18)}`, 0);
  words[at + 2] = wordAt(`${id.slice(19, 23)}${id.slice(24, 28)}`, 0);
  words[at + 3] = wordAt(id, 28);
}

export function readId(words: Uint32Array, at: number): string {
  const [second, third] = [words[at + 1] ?? 0, words[at + 2] ?? 0];
  putWord(words[at] ?? 0, 0);
  putHalf(second >>> 16, 9);
  putHalf(second & 0xffff, 14);
  putHalf(third >>> 16, 19);
  putHalf(third & 0xffff, 24);
  putWord(words[at + 3] ?? 0, 28);
  for (const place of dashes) text[place] = dash;
  return text.toString("latin1", 0, 36);
}

const dash = 0x2d;
const dashes = [8, 13, 18, 23];

function putWord(word: number, at: number): void {
  putHalf(word >>> 16, at);
  putHalf(word & 0xffff, at + 4);
}

function putHalf(half: number, at: number): void {
  putPair(half >>> 8, at);
  putPair(half & 0xff, at + 2);
}

function putPair(byte: number, at: number): void {
  const pair = digitPairs[byte] ?? 0;
  text[at] = pair >>> 8;
  text[at + 1] = pair & 0xff;
}
