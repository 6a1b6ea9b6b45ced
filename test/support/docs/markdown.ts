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
