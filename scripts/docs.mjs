// @ts-check
// Builds the documents as a site into dist-site, where any web server can serve them. Each page lies
// beside its Markdown, for programs that read it. Usage: npm run docs [-- --serve]
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installSite } from "./prepare.mjs";

const { values } = parseArgs({ options: { serve: { type: "boolean", default: false } } });
const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "site");

await installSite();
const { pages } = await import("../site/pages.mjs");
let status = await vitepress("build");
if (status === 0) {
  for (const file of ["llms.txt", ...pages.flatMap(({ items }) => items.map((one) => one.file))]) {
    const copy = join(root, "dist-site", file);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(root, file), copy);
  }
  if (values.serve) status = await vitepress("preview");
}
process.exitCode = status;

/**
 * Runs VitePress. Resolves with its exit status.
 * @param {"build" | "preview"} verb
 * @returns {Promise<number>}
 */
function vitepress(verb) {
  const program = join(site, "node_modules", "vitepress", "bin", "vitepress.js");
  const child = spawn(process.execPath, [program, verb, site], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
