import { expect, test } from "vitest";
import { createPrinter } from "../../../src/bin/cli/print-page.ts";
import { paperNames } from "../../../src/domain/evidence/printed-statement.ts";
import { chromiumProgram } from "../../support/console/chromium-program.ts";
import { madeUpPage, madeUpTitle } from "../../support/ledger/made-up-statement.ts";

const chromium = chromiumProgram();

/** In a PDF each line of a link is a rectangle on its page, with the URL in plain text. */
const linked = (name: string, html: string) => `<a href="https://example.com/${name}">${html}</a>`;

/** The page, with a link in the heading, the paragraph and the first row of each section. */
async function withLinks(page: AsyncIterable<string>): Promise<string> {
  let html = "";
  for await (const part of page) html += part;
  let section = 0;
  return html.replaceAll(
    /<section><h2>(.*?)<\/h2>(?:<p>(.*?)<\/p>)?(<table.*?<\/thead>\n<tbody[^>]*><tr><td[^>]*>)(.*?)<\/td>/g,
    (_, heading: string, words: string | undefined, table: string, first: string) => {
      section += 1;
      const paragraph = words === undefined ? "" : `<p>${linked(`${section}/words`, words)}</p>`;
      return `<section><h2>${linked(`${section}/head`, heading)}</h2>${paragraph}${table}${linked(`${section}/row`, first)}</td>`;
    },
  );
}

/** The pages that each link of a PDF is on, by their places among the pages. */
function pagesOfLinks(pdf: string): Record<string, number[]> {
  const objects = new Map(
    [...pdf.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id = "", text = ""]) => [
      id,
      text,
    ]),
  );
  const found: Record<string, number[]> = {};
  const pages = [...objects.values()].filter((text) => /\/Type \/Page\b/.test(text));
  for (const [place, page] of pages.entries()) {
    const [, annotations = ""] = /\/Annots \[([\s\S]*?)\]/.exec(page) ?? [];
    for (const [, id = ""] of annotations.matchAll(/(\d+) 0 R/g)) {
      const [, name] = /example\.com\/(\d+\/\w+)/.exec(objects.get(id) ?? "") ?? [];
      if (name !== undefined) found[name] = [...new Set([...(found[name] ?? []), place])];
    }
  }
  return found;
}

async function printed(html: string): Promise<string> {
  async function* page() {
    yield html;
  }
  const parts: Uint8Array[] = [];
  for await (const part of createPrinter(chromium ?? null).printPage(page(), madeUpTitle))
    parts.push(part);
  return Buffer.concat(parts).toString("latin1");
}

// With these numbers of entries the last section begins near the end of a page.
const counts = { a4: [21, 22, 40, 41], letter: [19, 36] };

test
  .skipIf(chromium === undefined)
  .each(paperNames.flatMap((paper) => counts[paper].map((count) => [paper, count] as const)))(
  "on %s with %i entries each table begins on the page of its heading and paragraph",
  async (paper, count) => {
    const page = madeUpPage({ count, name: "Alpine Coffee Ltd.", amount: 125_500_000n }, paper);
    const pages = pagesOfLinks(await printed(await withLinks(page)));
    const sections = [
      ["head", "row"],
      ["head", "words", "row"],
      ["head", "row"],
      ["head", "words", "row"],
    ];
    const expected = sections.flatMap((parts, index) =>
      parts.map((part) => [`${index + 1}/${part}`, [pages[`${index + 1}/head`]?.[0]]]),
    );
    expect(pages).toEqual(Object.fromEntries(expected));
  },
);
