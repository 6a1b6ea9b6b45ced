// @ts-check
// How the build puts the daemon, the command line and the demo together: each is one file in
// dist/bin with its parts in dist/bin/parts, and the packages are inside. A start that opened each
// module of src and of the packages by itself took more than twice the CPU time
// (docs/decisions/0078-bundled-programs.md).
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const source = (/** @type {string} */ path) =>
  fileURLToPath(new URL(`../src/${path}`, import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  publicDir: false,
  build: {
    ssr: true,
    target: "node20",
    emptyOutDir: false,
    minify: false,
    sourcemap: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        main: source("bin/main.ts"),
        cli: source("bin/cli.ts"),
        demo: source("bin/demo.ts"),
        // A thread finds its program beside the part that starts it.
        "parts/recovery-thread": source("chain/proof/hashing/recovery-thread.js"),
      },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "parts/[name]-[hash].js",
        // A stack names files and lines; their text is in the repository.
        sourcemapExcludeSources: true,
      },
    },
  },
  ssr: {
    noExternal: true,
    // Packages for development alone, which an installation for production lacks.
    external: ["pino-pretty", "pg-native"],
  },
});
