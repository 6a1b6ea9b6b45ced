// @ts-check
// The site of the documents: the Markdown files of the checkout as they are, with search, a dark
// theme and a list of contents. Nothing is written for the site alone.
import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";
import { pages, repository } from "../pages.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const isPage = new Set(pages.flatMap(({ items }) => items.map(({ file }) => file)));

/** The address of a page: GitHub shows a README for its folder, and so does the site. */
function addressOf(/** @type {string} */ file) {
  return `/${file.replace(/(^|\/)README\.md$/, "$1").replace(/\.md$/, "")}`;
}

/**
 * A link as the site needs it. A page of the site gets its address, everything else of the checkout
 * its address in the repository. Null: there is no such address, and the link's text stays.
 * @param {string} href as it stands in the Markdown
 * @param {string} file that it stands in, from the root of the checkout
 */
function linkOf(href, file) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const target = posix.join(dirname(file), path);
  if (!existsSync(join(root, target))) throw new Error(`${file}: ${href} leads nowhere`);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (isPage.has(target)) return `${addressOf(target)}${hash}`;
  return repository === null ? null : `${repository}/blob/main/${target}${hash}`;
}

/** @param {import("vitepress").MarkdownRenderer} md */
function rewriteLinks(md) {
  md.core.ruler.push("links-of-the-checkout", (state) => {
    const file = posix.normalize(state.env.realPath ?? state.env.path).slice(root.length);
    for (const token of state.tokens) {
      let isDropped = false;
      for (const child of token.children ?? []) {
        if (child.type === "link_open") {
          const link = linkOf(child.attrGet("href") ?? "", file);
          isDropped = link === null;
          if (link !== null) child.attrSet("href", link);
        }
        const isLink = child.type === "link_open" || child.type === "link_close";
        if (isDropped && isLink) {
          child.type = "text";
          child.content = "";
          child.nesting = 0;
        }
      }
    }
  });
}

export default defineConfig({
  title: "Chainbell",
  description: "Watches EVM wallets, keeps an exact ledger and notifies webhooks.",
  lang: "en",
  srcDir: root,
  srcExclude: ["**/node_modules/**", ".github/**", "bench/**", "test/**"],
  outDir: join(root, "dist-site"),
  cacheDir: join(root, "site", "node_modules", ".vitepress"),
  cleanUrls: true,
  rewrites: (file) => file.replace(/README\.md$/, "index.md"),
  markdown: {
    // As on GitHub, a text in angle brackets is no element.
    html: false,
    // As on GitHub, braces in a heading are text: `GET /wallets/{wallet_id}`.
    attrs: { disable: true },
    anchor: { slugify: (text) => slug(text) },
    config: rewriteLinks,
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: pages.map(({ title, items }) => ({
      text: title,
      collapsed: items.length > 20,
      items: items.map(({ text, file }) => ({ text, link: addressOf(file) })),
    })),
    ...(repository === null ? {} : { socialLinks: [{ icon: "github", link: repository }] }),
  },
});
