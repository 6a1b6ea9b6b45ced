// @ts-check
// The libraries whose hundreds of small files the build makes into a few: to find, open and link each of those took a
// quarter of the daemon's start. They go to dist/node_modules, where Node finds them before the installed ones. So these
// packages, and what they need, are development dependencies. Usage: node scripts/bundled.mjs FOLDER
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

/** Each with all that may be imported of it: "." is the package itself. */
export const bundled = [
  { name: "viem", exports: [".", "./accounts", "./chains", "./utils"] },
  { name: "zod", exports: ["."] },
  { name: "fastify-type-provider-zod", exports: ["."] },
  { name: "jose", exports: ["."] },
  { name: "uuid", exports: ["."] },
  { name: "@opentelemetry/api", exports: ["."] },
  { name: "@opentelemetry/exporter-trace-otlp-http", exports: ["."] },
  { name: "@opentelemetry/resources", exports: ["."] },
  { name: "@opentelemetry/sdk-trace", exports: ["."] },
];

/** What several of them share, and the licences of what is inside. */
const shared = ".bundled";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));

/**
 * Writes them into a node_modules folder, each with a package.json. Throws where something that they import is missing.
 * @param {string} into
 */
async function bundleLibraries(into) {
  const entries = bundled.flatMap(({ name, exports }) =>
    exports.map((path) => [join(name, entryOf(path)), join(name, path)]),
  );
  const build = await rolldown({
    input: Object.fromEntries(entries),
    platform: "node",
    cwd: modules,
    // Of a package in both forms that of ECMAScript: of the other one, names cannot be imported any more.
    resolve: { mainFields: ["module", "main"] },
  });
  const { output } = await build.write({
    dir: into,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: join(shared, "[name]-[hash].mjs"),
  });
  for (const { name, exports } of bundled) writePackage(join(into, name), name, exports);
  const files = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  for (const folder of new Set(files.flatMap(folderOf)))
    copyLicences(folder, join(into, shared, "licences", relative(modules, folder)));
}

/** The name of the file of what is imported by a path. */
function entryOf(/** @type {string} */ path) {
  return path === "." ? "index" : path.slice(2);
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string[]} paths
 */
function writePackage(folder, name, paths) {
  const source = readFileSync(join(modules, name, "package.json"), "utf8");
  const { version, license } = JSON.parse(source);
  const exports = Object.fromEntries(paths.map((path) => [path, `./${entryOf(path)}.mjs`]));
  const text = JSON.stringify({ name, version, license, exports }, null, 2);
  writeFileSync(join(folder, "package.json"), `${text}\n`);
}

/** The folder of the package that a file is of; none for what the bundler adds. */
function folderOf(/** @type {string} */ file) {
  return /^.*node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.slice(0, 1) ?? [];
}

/**
 * @param {string} from
 * @param {string} to
 */
function copyLicences(from, to) {
  for (const name of readdirSync(from))
    if (/^(licen[cs]e|notice)/i.test(name)) cpSync(join(from, name), join(to, name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await bundleLibraries(process.argv[2] ?? "");
