/**
 * True if each word of `sought` begins a word of `label`. Case and accents do not count: "api k"
 * names "API keys", "ubers" names "Übersicht".
 */
export function isNamed(label: string, sought: string): boolean {
  const words = wordsOf(label);
  return wordsOf(sought).every((part) => words.some((word) => word.startsWith(part)));
}

function wordsOf(words: string): string[] {
  const plain = words.normalize("NFD").replace(/\p{Mark}/gu, "");
  return plain
    .toLocaleLowerCase()
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter((word) => word !== "");
}
