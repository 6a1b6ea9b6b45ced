// @ts-check
// The prose of a Markdown page: paragraphs, list items and cells of tables. Code is left out, and inline code is one word.
// Tools of test/package.json, which are found from test/ alone.
import { fromMarkdown } from "../../test/node_modules/mdast-util-from-markdown/index.js";
import { gfmTableFromMarkdown } from "../../test/node_modules/mdast-util-gfm-table/index.js";
import { gfmTable } from "../../test/node_modules/micromark-extension-gfm-table/index.js";
import { columns } from "./rules.mjs";

/**
 * @param {string} file
 * @param {string} text
 * @returns {import("./rules.mjs").Prose[]}
 */
export function proseOfMarkdown(file, text) {
  return blocksOf(parse(text)).flatMap(({ node, isFragment }) => {
    const line = node.position?.start.line ?? 0;
    const prose = plain(withoutLabel(node));
    // A cell lists its fields between semicolons, and a list of contents its titles between dots.
    // A hard break ends a piece as such a dot does.
    const pieces = prose.split(isFragment ? /; / : / ·\s/);
    return pieces.map((piece) => ({ file, line, text: piece, isFragment }));
  });
}

/**
 * Lines of a page that are too wide, by their number.
 * @param {string} text
 */
export function wideLinesOfMarkdown(text) {
  const exempt = new Set();
  for (const node of parse(text).children) addExempt(node, exempt);
  return text
    .split("\n")
    .map((content, index) => ({ content, line: index + 1 }))
    .filter(({ content, line }) => content.length > columns.document && !exempt.has(line))
    .filter(({ content }) => /\S\s+\S/.test(content.replace(/^\s*(?:[-*>]|\d+\.)?\s+/, "")))
    .map(({ line }) => line);
}

/**
 * The paragraphs of a page, in its order, with their places.
 * @param {string} text
 */
export function paragraphsOf(text) {
  return blocksOf(parse(text))
    .map(({ node }) => node)
    .filter((node) => node.type === "paragraph");
}

/** @param {string} text */
function parse(text) {
  return fromMarkdown(text, {
    extensions: [gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
}

/**
 * @param {import("mdast").Nodes} node
 * @param {Set<number>} exempt
 */
function addExempt(node, exempt) {
  if (["table", "code", "html", "definition", "heading"].includes(node.type) && node.position) {
    const { start, end } = node.position;
    for (let line = start.line; line <= end.line; line += 1) exempt.add(line);
  } else if ("children" in node) {
    for (const child of node.children) addExempt(child, exempt);
  }
}

/**
 * @param {import("mdast").Nodes} node
 * @returns {{ node: import("mdast").Nodes, isFragment: boolean }[]}
 */
function blocksOf(node) {
  if (node.type === "paragraph") return [{ node, isFragment: false }];
  if (node.type === "tableCell") return [{ node, isFragment: true }];
  if (node.type === "heading" || !("children" in node)) return [];
  return node.children.flatMap(blocksOf);
}

/**
 * A paragraph without the bold label that it begins with: that is a heading.
 * @param {import("mdast").Nodes} node
 */
function withoutLabel(node) {
  if (node.type !== "paragraph") return node;
  const [first, ...rest] = node.children;
  return first?.type === "strong" && /[.:]$/.test(plain(first))
    ? { ...node, children: rest }
    : node;
}

/**
 * @param {import("mdast").Nodes} node
 * @returns {string}
 */
function plain(node) {
  if (node.type === "inlineCode")
    return `\`${node.value.replace(/\s+/g, "_").replace(/[.?!]/g, "_")}\``;
  if (node.type === "break") return " · ";
  if ("value" in node) return node.type === "html" ? "" : node.value;
  return "children" in node ? node.children.map(plain).join("") : "";
}
