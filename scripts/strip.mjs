// @ts-check
// Deletes from an installation for production what nothing reads when it runs. The programs of dist/bin have the packages
// inside: of each package its package.json stays, so that scanners see it, and its licence. Two are read as files and stay whole.
// The image is made by this, and `npm run production` starts the daemon from what it leaves.
// Usage, after `npm ci --omit=dev`: node scripts/strip.mjs
import { readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** The daemon serves the first, and BullMQ's encoder opens the native part of the second. */
const readAsFiles = /(^|\/)node_modules\/(swagger-ui-dist|@msgpackr-extract)\//;
const unread = /\.(d\.[mc]?ts|map|md)$/;
const told = /\/(package\.json|[^/]*(licen[cs]e|copying|notice)[^/]*)$/i;

strip("node_modules");

/**
 * @param {string} folder is removed as well where nothing stays in it
 * @returns {boolean} whether something stays
 */
function strip(folder) {
  let stays = false;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) stays = strip(path) || stays;
    else if (isKept(path.replaceAll("\\", "/"))) stays = true;
    else rmSync(path);
  }
  if (!stays) rmdirSync(folder);
  return stays;
}

/** @param {string} path */
function isKept(path) {
  return readAsFiles.test(path) ? !unread.test(path) : told.test(path);
}
