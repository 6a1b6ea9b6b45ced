/** The two halves of each byte. Keys of a Merkle Patricia trie consist of them. */
export function nibblesOf(key: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(key.length * 2);
  key.forEach((byte, index) => {
    nibbles[index * 2] = byte >> 4;
    nibbles[index * 2 + 1] = byte & 0x0f;
  });
  return nibbles;
}
