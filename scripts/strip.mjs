// @ts-check
// Deletes from an installation for production what nothing reads when it runs: types, maps and pages about it, viem and ox
// as CommonJS, and the query compilers of other databases. Each package keeps its package.json, so that scanners see it.
// The image is made by this, and `npm run production` starts the daemon from what it leaves.
// Usage, after `npm ci --omit=dev`: node scripts/strip.mjs
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Of paths below node_modules. */
const unread = [
  /\.(d\.[mc]?ts|map|md)$/,
  /(^|\/)(viem|ox)\/(_types|_cjs)\//,
  /^@prisma\/client\/runtime\/query_compiler_(?!fast_bg\.postgresql\.)/,
];

const modules = "node_modules";
for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = join(entry.parentPath, entry.name);
  const below = path.slice(modules.length + 1).replaceAll("\\", "/");
  if (unread.some((one) => one.test(below))) rmSync(path);
}
