// @ts-check
// The few files that the daemon needs of packages that bring far more: Prisma's client is 70 MB for six databases, and
// its adapter installs the types of Node; libauth is a whole Bitcoin toolkit around one module. The build copies them to
// dist/node_modules, each beside its package.json and licence; so these packages are development dependencies, and `npm ci --omit=dev` leaves them out.
import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * `by` is the package that imports it; without one it is Chainbell itself.
 * @typedef {{ name: string, by?: string, files: string[] }} Vendored
 */

/** @type {readonly Vendored[]} */
export const vendored = [
  {
    name: "@bitauth/libauth",
    files: [
      "build/lib/crypto/dependencies.js",
      "build/lib/crypto/secp256k1.js",
      "build/lib/bin/bin.js",
      "build/lib/bin/hashes.js",
      "build/lib/bin/ripemd160/ripemd160.base64.js",
      "build/lib/bin/secp256k1/secp256k1-wasm-types.js",
      "build/lib/bin/secp256k1/secp256k1-wasm.js",
      "build/lib/bin/secp256k1/secp256k1.base64.js",
      "build/lib/bin/sha1/sha1.base64.js",
      "build/lib/bin/sha256/sha256.base64.js",
      "build/lib/bin/sha512/sha512.base64.js",
      ...[
        ...["base-convert", "base64", "bin-string", "error", "format", "hex", "log", "number"],
        ...["read", "time", "type-utils", "utf8"],
      ].map((name) => `build/lib/format/${name}.js`),
    ],
  },
  {
    name: "@prisma/client",
    files: [
      "runtime/client.js",
      "runtime/query_compiler_fast_bg.postgresql.mjs",
      "runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs",
    ],
  },
  { name: "@prisma/client-runtime-utils", by: "@prisma/client", files: ["dist/index.js"] },
  { name: "@prisma/adapter-pg", files: ["dist/index.mjs"] },
  { name: "@prisma/driver-adapter-utils", by: "@prisma/adapter-pg", files: ["dist/index.mjs"] },
  { name: "@prisma/debug", by: "@prisma/driver-adapter-utils", files: ["dist/index.mjs"] },
  { name: "postgres-array", by: "@prisma/adapter-pg", files: ["index.js"] },
  {
    name: "swagger-ui-dist",
    files: ["swagger-ui.css", "swagger-ui-bundle.js"],
  },
];

/**
 * Copies them from the node_modules folder of a checkout into another one. Throws when a file is not there.
 * @param {string} from
 * @param {string} to
 */
export function copyVendored(from, to) {
  for (const { name, by, files } of vendored) {
    const source = folderOf(name, by, from);
    const texts = readdirSync(source).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    for (const file of ["package.json", ...texts, ...files])
      cpSync(join(source, file), join(to, name, file));
  }
}

/**
 * Where Node finds a package: beside the one that imports it, or above.
 * @param {string} name
 * @param {string | undefined} by
 * @param {string} modules
 */
function folderOf(name, by, modules) {
  const nested = join(modules, by ?? "", "node_modules", name);
  if (by !== undefined && existsSync(nested)) return nested;
  return join(modules, name);
}
