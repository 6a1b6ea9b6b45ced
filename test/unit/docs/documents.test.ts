import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { anchorsOf, linksOf } from "../../support/docs/markdown.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

describe("the documents", () => {
  test.each(tracked("*.md"))("%s has no broken link", (path) => {
    const broken = linksOf(read(path))
      .filter(({ target }) => !/^[a-z]+:/.test(target))
      .filter(
        ({ target }) => !exists(target.startsWith("#") ? path + target : beside(path, target)),
      )
      .map(({ target, line }) => `${path}:${line} ${target}`);
    expect(broken).toEqual([]);
  });

  test("the README has at most 155 lines", () => {
    expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(155);
  });

  test("the Python for receivers is that of the example, which runs in a test", () => {
    const [, sample = ""] = /^```python\n([\s\S]*?)^```$/m.exec(read("docs/receiving.md")) ?? [];
    expect(sample).toContain("def ");
    expect(read("examples/receivers/python.py")).toContain(sample);
  });

  // A list of its codes, by who answers them, is the beginning of the page of errors.
  const long = ["README.md", "CONTRIBUTING.md", ...tracked("docs/*.md")].filter(
    (path) => path !== "docs/errors.md" && headingsOf(path).length > 2 && linesOf(path) > 100,
  );

  test.each(long)("%s begins with its contents, and leaves none out", (path) => {
    const [, contents = ""] = /^\*\*Contents:\*\*([\s\S]*?)\n\n/m.exec(read(path)) ?? [];
    const targets = linksOf(contents).map(({ target }) => target.replace(/^#/, ""));
    const anchors = [...anchorsOf(headingsOf(path).join("\n"))];
    expect(targets).toEqual(anchors);
  });

  test("the contract begins with a table of its sections, and leaves none out", () => {
    const [beginning = "", ...parts] = read("docs/contract.md").split(/^(?=## )/m);
    const sections = parts.join("").match(/^### .+$/gm) ?? [];
    const targets = linksOf(beginning).map(({ target }) => target.replace(/^#/, ""));
    expect(sections.length).toBeGreaterThan(30);
    expect(targets).toEqual(expect.arrayContaining([...anchorsOf(sections.join("\n"))]));
  });

  // A cell that says more than one thing is a section that a reader cannot find.
  test("no cell of a table of the contract is a paragraph", () => {
    const cells = read("docs/contract.md")
      .split("\n")
      // The table of contents has links alone.
      .filter((line) => /^\|(?! \d\. )/.test(line))
      .flatMap((line) => line.split(/(?<!\\)\|/))
      .map((cell) => cell.replace(/\]\([^)]*\)/g, "]").trim());
    expect(cells.length).toBeGreaterThan(400);
    expect(
      cells.filter((cell) => cell.length > 200 || /[.] [A-Z`].*[.] [A-Z`]/.test(cell)),
    ).toEqual([]);
  });

  test("every page of docs/ can be reached from the README", () => {
    const reached = new Set<string>(["README.md"]);
    for (const path of reached) {
      for (const target of pagesOf(path)) reached.add(target);
    }
    expect(tracked("docs/*.md").filter((path) => !reached.has(path))).toEqual([]);
  });

  test("every page that a comment cites is there, with its anchor", () => {
    const broken = citations().filter(({ target }) => !exists(target));
    expect(broken).toEqual([]);
    expect(citations().length).toBeGreaterThan(40);
  });

  test("no comment cites a rule or a contract without its page", () => {
    const bare = sources().filter(({ text }) => /CONTRACT\.md|DESIGN\.md|\(I\d+[,)]/.test(text));
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  test("a link to an anchor that is not there would be found", () => {
    expect(exists("docs/invariants.md#i11")).toBe(true);
    expect(exists("docs/invariants.md#i99")).toBe(false);
    expect(exists("docs/nothing.md")).toBe(false);
  });
});

test.each(tracked("docs/decisions/0*.md"))("%s has the headings of a decision", (path) => {
  const headings = [...read(path).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(["Context", "Decision", "Consequences"]);
});

describe("the invariants", () => {
  const names = Array.from({ length: 12 }, (_, index) => `I${index + 1}`);

  test.each(names)("%s names tests that exist", (name) => {
    const tests = testsOf(name);
    expect(tests.length).toBeGreaterThan(0);
    for (const { path, titles } of tests) {
      const text = read(path);
      expect(titles.length, path).toBeGreaterThan(0);
      for (const title of titles) expect(text, path).toContain(title);
    }
  });
});

/** The Markdown pages that a page links to. */
function pagesOf(path: string): string[] {
  return linksOf(read(path))
    .filter(({ target }) => /^[^:#]+\.md(#|$)/.test(target))
    .map(({ target }) => beside(path, target).split("#", 1)[0] ?? "");
}

/** The test files that a rule's section names, with the quoted titles that stand beside each. */
function testsOf(name: string): { path: string; titles: string[] }[] {
  const section = read("docs/invariants.md").split(new RegExp(`^## ${name}$`, "m"))[1] ?? "";
  return section
    .split(/^## /m, 1)
    .flatMap((text) => text.split(/^- /m))
    .flatMap((item) => {
      const [, path] = /^\[(test\/[^\]]+)\]/.exec(item) ?? [];
      if (path === undefined) return [];
      const text = item.replace(/\s+/g, " ");
      return [{ path, titles: [...text.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title) }];
    });
}

type Citation = { from: string; target: string };

/** The headings of a page's parts, as they are written. */
function headingsOf(path: string): string[] {
  return [...read(path).matchAll(/^## .+$/gm)].map(([heading]) => heading);
}

function linesOf(path: string): number {
  return read(path).split("\n").length;
}

/** `docs/page.md#anchor, #another` in a comment is two of them. */
function citations(): Citation[] {
  return sources().flatMap(({ path: from, text }) =>
    [...text.matchAll(/docs\/[\w/-]+\.md(?:#[\w-]+(?:(?:,| and) #[\w-]+)*)?/g)].flatMap(
      ([found]) => {
        const [page = "", ...anchors] = found.split(/(?:, | and )?#/);
        if (anchors.length === 0) return [{ from, target: page }];
        return anchors.map((anchor) => ({ from, target: `${page}#${anchor}` }));
      },
    ),
  );
}

function sources(): { path: string; text: string }[] {
  return tracked("src/*.ts", "prisma/schema.prisma", "scripts/*", "examples/*")
    .filter((path) => !path.includes("/generated/"))
    .map((path) => ({ path, text: read(path) }));
}

function beside(path: string, target: string): string {
  const [file = "", anchor] = target.split("#");
  return join(dirname(path), file) + (anchor === undefined ? "" : `#${anchor}`);
}

function exists(target: string): boolean {
  const [path = "", anchor] = target.split("#");
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || anchorsOf(read(path)).has(anchor);
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Also what is not committed yet; nothing that git ignores. */
function tracked(...patterns: string[]): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const output = execFileSync("git", args, { cwd: root, encoding: "utf8" });
  return [...new Set(output.split("\n"))].filter(
    (path) => path !== "" && existsSync(join(root, path)),
  );
}
