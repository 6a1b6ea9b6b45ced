// @ts-check
// The prose of a TypeScript file: the texts that somebody reads when it runs, and its comments.
// The library of TypeScript 6, one of the tools of test/package.json, which are found from test/ alone.
import ts from "../../test/node_modules/typescript/lib/typescript.js";
import { columns } from "./rules.mjs";

/** @type {Map<string, ts.SourceFile>} */
const sources = new Map();

/** @type {Map<string, { line: number, content: string, whole: string }[]>} */
const linesOf = new Map();

/** Properties whose text is shown: by the command line, by the description of the API, or on a page. */
const shown = new Set(["help", "summary", "description", "message", "remedy", "meaning", "cause"]);

/** Calls whose texts are shown. */
const speakers = /^(?:describe|Fault|required|optional|flag|[a-z]*[fF]ault|refusal|malformed)$/;

/**
 * @param {string} file
 * @param {string} text
 * @returns {import("./rules.mjs").Prose[]}
 */
export function textsOfCode(file, text) {
  const source = parse(file, text);
  /** @type {import("./rules.mjs").Prose[]} */
  const found = [];
  visit(source, false);
  return found;

  /**
   * @param {ts.Node} node
   * @param {boolean} isShown
   */
  function visit(node, isShown) {
    const prose = proseOf(node);
    if (prose !== null) {
      const isSentence = /\s\S+\s\S+\s/.test(prose) && /\p{L}/u.test(prose);
      if (isSentence && (isShown || /[a-z)'"`\d]\.$/.test(prose))) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ file, line: line + 1, text: prose, isFragment: !/\.$/.test(prose) });
      }
      return;
    }
    ts.forEachChild(node, (child) => visit(child, isShown || speaks(node)));
  }
}

/**
 * The comments of a file, each joined to one piece; lines of `//` that follow each other are one.
 * @param {string} file
 * @param {string} text
 * @returns {import("./rules.mjs").Prose[]}
 */
export function commentsOfCode(file, text) {
  /** @type {(import("./rules.mjs").Prose & { last: number })[]} */
  const found = [];
  for (const { line, content } of commentLines(file, text)) {
    const before = found.at(-1);
    const bare = content.replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)\s?/, "").replace(/\s*\*\/\s*$/, "");
    // Indented lines are a drawing, as in Markdown.
    const isBlank = bare.trim() === "" || /^ {4}/.test(bare);
    const isNew = /^\s*\/\*/.test(content) || /^(?:[-@]|\d+\.)/.test(bare);
    if (isBlank) found.push({ file, line, text: "", isFragment: true, last: -1 });
    else if (before && before.last === line - 1 && !isNew) {
      before.text += ` ${asWord(bare)}`;
      before.last = line;
    } else found.push({ file, line, text: asWord(bare), isFragment: true, last: line });
  }
  return found.filter(({ text: prose }) => prose !== "" && !/^(?:@ts-|biome-ignore)/.test(prose));
}

/**
 * Lines of comments that are too wide, by their number.
 * @param {string} file
 * @param {string} text
 */
export function wideCommentsOfCode(file, text) {
  return commentLines(file, text)
    .filter(
      ({ whole }) => whole.length > columns.comment && !/biome-ignore|https?:\/\//.test(whole),
    )
    .map(({ line }) => line);
}

/** @param {string} text */
function asWord(text) {
  return text.replace(/`[^`]*`/g, (code) => code.replace(/\s+/g, "_").replace(/[.?!]/g, "_"));
}

/**
 * @param {string} file
 * @param {string} text
 */
function commentLines(file, text) {
  const known = linesOf.get(file);
  if (known !== undefined) return known;
  const source = parse(file, text);
  const lines = text.split("\n");
  /** @type {Map<number, { line: number, content: string, whole: string }>} */
  const found = new Map();
  /** @type {Set<number>} */
  const seen = new Set();
  visit(source);
  const sorted = [...found.values()].sort((a, b) => a.line - b.line);
  linesOf.set(file, sorted);
  return sorted;

  /** @param {ts.Node} node */
  function visit(node) {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) add(range);
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) add(range);
    for (const child of node.getChildren(source)) {
      if (child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode)
        visit(child);
    }
  }

  /** @param {ts.CommentRange} range */
  function add({ pos, end }) {
    if (seen.has(pos)) return;
    seen.add(pos);
    const first = source.getLineAndCharacterOfPosition(pos).line;
    for (const [index, content] of text.slice(pos, end).split("\n").entries()) {
      const line = first + index + 1;
      found.set(line, { line, content, whole: lines[line - 1] ?? "" });
    }
  }
}

/**
 * The text of a literal, with one word for each value that is filled in; null for anything else.
 * @param {ts.Node} node
 */
function proseOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return asWord(
    node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join(""),
  );
}

/**
 * @param {string} file
 * @param {string} text
 */
function parse(file, text) {
  const source = sources.get(file) ?? ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  sources.set(file, source);
  return source;
}

/** @param {ts.Node} node */
function speaks(node) {
  if (ts.isPropertyAssignment(node)) return shown.has(node.name.getText());
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  const called = ts.isPropertyAccessExpression(node.expression)
    ? node.expression.name.text
    : node.expression.getText();
  return speakers.test(called);
}
