/** A link of a Markdown page as it is written: a path, an anchor, or both. */
export type MarkdownLink = { target: string; line: number };

/** The links of a page, without those in code. */
export function linksOf(markdown: string): MarkdownLink[] {
  return withoutCode(markdown)
    .split("\n")
    .flatMap((text, index) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => ({
        target,
        line: index + 1,
      })),
    );
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutCode(markdown).matchAll(/^#{1,6} +(.+)$/gm)) {
    const base = slugOf(heading);
    let anchor = base;
    for (let n = 1; anchors.has(anchor); n += 1) anchor = `${base}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/ /g, "-");
}

/** The same lines, with fenced code left empty. */
function withoutCode(markdown: string): string {
  let isCode = false;
  return markdown
    .split("\n")
    .map((line) => {
      if (/^\s*(```|~~~)/.test(line)) {
        isCode = !isCode;
        return "";
      }
      return isCode ? "" : line;
    })
    .join("\n");
}

/** A table of Markdown. */
export function table(titles: string[], rows: string[][]): string {
  const lines = [titles, titles.map(() => "---"), ...rows];
  return `${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}

/** A field of a body, a parameter or a key: its name, its type with what else is noted, its meaning. */
export type DescribedField = { name: string; type: string; meaning: string };

/**
 * A list of fields, in full. Each item has the name and the type on its first line, and the
 * meaning below. Words that the meaning explains, such as `agreed: two hosts said it.`, are a list.
 */
export function fieldList(fields: readonly DescribedField[]): string {
  return `${fields.map(fieldItem).join("\n")}\n`;
}

function fieldItem({ name, type, meaning }: DescribedField): string {
  const { text, words } = explained(meaning);
  const title = wrapped(`- **\`${name}\`** · ${type}${text === "" ? "" : "\\"}`, "  ");
  const items = words.map((word) => indented(wrapped(`- ${word}`, "  ", 118)));
  return [title, ...(text === "" ? [] : [indented(wrapped(text, "", 118))]), ...items].join("\n");
}

/** A meaning without the words that it explains, and those, where there are several. */
function explained(meaning: string): { text: string; words: string[] } {
  const whole = meaning.trim().replace(/([^.:?!])$/, "$1.");
  const sentences = whole.split(/(?<=[a-z)`\d]\.)\s+(?=[A-Z`]|[a-z][\w.-]*: )/);
  const words = sentences.filter((sentence) => wordExplained.test(sentence));
  if (words.length < 2) return { text: whole, words: [] };
  return {
    text: sentences.filter((sentence) => !words.includes(sentence)).join(" "),
    words: words.map((word) => word.replace(wordExplained, "`$1`: ")),
  };
}

/** The beginning of a sentence that says what one word stands for. */
const wordExplained = /^`?([a-z][\w.-]*)`?: /;

function indented(text: string): string {
  return text.replace(/^/gm, "  ");
}

/** The text on lines of at most so many columns. The indent is that of every line but the first. */
export function wrapped(text: string, indent = "", columns = 120): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.replace(/\s+/g, " ").split(/ (?![^[]*\]\()/)) {
    if (line !== "" && line.length + word.length + 1 > columns) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}

/** The page with links to its sections before the first of them, as every long page has. */
export function withContents(page: string): string {
  const titles = [...withoutCode(page).matchAll(/^## +(.+)$/gm)].map(([, title = ""]) => title);
  const anchors = anchorsOf(titles.map((title) => `## ${title}`).join("\n"));
  const links = [...anchors].map((anchor, index) => `[${titles[index]}](#${anchor})`);
  const lines = [`**Contents:**`];
  for (const [index, link] of links.entries()) {
    const word = index + 1 < links.length ? `${link} ·` : link;
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length > 120) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return page.replace(/^## /m, () => `${lines.join("\n")}\n\n## `);
}
