// @ts-check
// The rules of docs/style.md that a program can check, over one piece of prose. The limits of the style stand here alone.

/** Words in a sentence: above the first a warning, above the second a failure. */
const wordsWanted = 20;
const wordsMost = 30;

/** Columns of a line. Tables, code blocks and lines that one word fills are exempt. */
export const columns = { document: 120, comment: 100 };

/**
 * A piece of prose with its place. Inline code in it is one word.
 * @typedef {{ file: string, line: number, text: string, isFragment: boolean }} Prose
 */

/**
 * What is said of a piece of prose.
 * @typedef {{ file: string, line: number, level: "warns" | "fails", rule: string, text: string }} Finding
 */

/** The beginnings of a clause that stands as the subject. Questions, headings and labels are exempt. */
const clauses = [
  /^(?:what|whoever|whatever|whichever|whomever)\b(?! (?:is|are|was|does|do|to)\b[^.]*\?$)/i,
  /^(?:one|ones|those|all|everything|anything|nothing) (?:that|which|who|whose|of (?:whom|which))\b/i,
  /^that which\b/i,
  /^of (?:those|these|what|which|whom)\b/i,
  /^(?:as|so) (?:much|many|far|long|often)\b(?! as\b.*,)/i,
  /^(?:not )?one of (?:those|these|which)\b/i,
  /^(?:whether|who|whom|whose|which|why|how)\b/i,
  // "That hash" and "that is" point at something; "that a hash" begins a clause.
  /^that (?:an?|the|its?|they|their|there|you|we|no|every|each|any|both|all|some|nobody|nothing)\b/i,
];

/**
 * The sentences of a text, without white space around them.
 * @param {string} text
 */
function sentencesOf(text) {
  /** @type {string[]} */
  const sentences = [];
  let open = "";
  for (const part of text.trim().split(/(?<=[.!?]["')\]]*)\s+/)) {
    open = open === "" ? part : `${open} ${part}`;
    // An abbreviation, an initial or the number of a list ends no sentence.
    if (/(?:\b(?:e\.g|i\.e|etc|vs|cf)\.|\b[A-Z]\.|^\d+\.)$/.test(open)) continue;
    sentences.push(open);
    open = "";
  }
  return [...sentences, open].filter((sentence) => /\p{L}/u.test(sentence));
}

/** Names in code that are listed, at least four: the reader looks one up, and reads no sentence. */
const listedNames =
  /(?:`[^`]*`(?: \([^()]*\))?(?:, and |, | and | or )){3,}`[^`]*`(?: \([^()]*\))?/g;

/**
 * How many words a sentence has. A quotation and a list of names are one, dashes and signs are none, nor are the names
 * that a cell lists.
 * @param {string} sentence
 * @param {boolean} isFragment
 */
function wordsOf(sentence, isFragment) {
  const prose = isFragment ? sentence.replace(/`[^`]*`/g, "") : sentence;
  return prose
    .replace(/"[^"]*"/g, "quoted")
    .replace(listedNames, "names")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/**
 * Whether a sentence, or a part of it after a semicolon, begins so.
 * @param {string} sentence
 * @param {RegExp} clause
 */
function begins(sentence, clause) {
  return sentence.split("; ").some((part) => clause.test(part));
}

/**
 * What the rules say of a piece of prose, and how many sentences it has.
 * @param {Prose} prose
 * @returns {{ sentences: number, findings: Finding[] }}
 */
export function judge({ file, line, text, isFragment }) {
  const sentences = sentencesOf(text);
  const findings = sentences.flatMap((sentence) => {
    const at = { file, line, text: sentence.replace(/\s+/g, " ") };
    const words = wordsOf(sentence, isFragment);
    const isLabel = !/[.:;!]["')\]]*$/.test(sentence);
    /** @type {Finding[]} */
    const found = [];
    if (words > wordsMost) found.push({ ...at, level: "fails", rule: `${words} words` });
    else if (words > wordsWanted) found.push({ ...at, level: "warns", rule: `${words} words` });
    if (!isLabel && clauses.some((clause) => begins(sentence, clause))) {
      found.push({ ...at, level: "fails", rule: "a clause is the subject" });
    }
    return found;
  });
  return { sentences: sentences.length, findings };
}
