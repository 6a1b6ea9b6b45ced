// @ts-check
// The pages of the site, in the order of its menu: by what a reader wants of them.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url);

const sections = [
  { title: "Start", files: ["README.md", "docs/first-hour.md"] },
  { title: "Tutorials", files: listed("docs/tutorials") },
  {
    title: "How to use it",
    files: [
      "docs/api.md",
      "docs/receiving.md",
      "packages/webhooks/README.md",
      "docs/console.md",
      ...listed("docs/moving"),
    ],
  },
  {
    title: "How to run it",
    files: [
      "docs/operations.md",
      ...listed("docs/how-to"),
      "docs/chains.md",
      "docs/runbooks.md",
      "docs/upgrading.md",
      "docs/evidence.md",
    ],
  },
  {
    title: "Reference",
    files: [
      "docs/contract.md",
      "docs/routes.md",
      ...listed("docs/reference"),
      "docs/events.md",
      "docs/errors.md",
      "docs/settings.md",
      "docs/commands.md",
      "docs/metrics.md",
      "docs/log-events.md",
      "docs/glossary.md",
      "docs/api-changes.md",
      "CHANGELOG.md",
    ],
  },
  {
    title: "Explanation",
    files: [
      "docs/architecture.md",
      "docs/invariants.md",
      "docs/security.md",
      ...listed("docs/security"),
      "docs/growth.md",
      "docs/simulation.md",
      "docs/benchmarks.md",
      "docs/block-to-webhook.md",
      ...listed("docs/measurements"),
    ],
  },
  {
    title: "Contribute",
    files: [
      "CONTRIBUTING.md",
      "src/README.md",
      "docs/floors.md",
      "docs/style.md",
      "docs/readers-tasks.md",
      "SECURITY.md",
    ],
  },
  { title: "Decisions", files: listed("docs/decisions") },
];

const shown = sections.flatMap(({ files }) => files);
for (const name of markdownOfDocs())
  if (!shown.includes(name)) throw new Error(`${name} stands in no section of site/pages.mjs`);

/** The menu: sections of pages, each with its file from the root of the checkout. */
export const pages = sections.map(({ title, files }) => ({
  title,
  items: files.map((file) => ({ text: titleOf(file), file })),
}));

/**
 * The web address of the repository, for links to what is no page: where the checkout was cloned
 * from, if that is on the web. Null: it is not known, and such links become text.
 */
export const repository = originOf();

/**
 * The Markdown files of a folder by name, its README first. Empty: there is no such folder.
 * @param {string} folder
 */
function listed(folder) {
  const isReadme = (/** @type {string} */ file) => Number(file.endsWith("README.md"));
  return markdownOfDocs()
    .filter((file) => file.slice(0, file.lastIndexOf("/")) === folder)
    .sort((a, b) => isReadme(b) - isReadme(a) || (a < b ? -1 : 1));
}

function markdownOfDocs() {
  const names = readdirSync(new URL("docs/", root), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`);
}

function titleOf(/** @type {string} */ file) {
  const title = /^# (.+)$/m.exec(readFileSync(new URL(file, root), "utf8"))?.[1];
  if (title === undefined) throw new Error(`${file} has no heading of the first level`);
  return title.replaceAll("`", "");
}

function originOf() {
  try {
    const url = execFileSync("git", ["remote", "get-url", "origin"], {
      cwd: fileURLToPath(root),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const web = url
      .trim()
      .replace(/^git@([^:]+):/, "https://$1/")
      .replace(/\.git$/, "");
    return web.startsWith("https://") ? web : null;
  } catch {
    return null;
  }
}
