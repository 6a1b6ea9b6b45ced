import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// Modules that the first page does without: forms, lists with their filters, and panels beside a
// list. No module of the group `shared` imports them: of two files that import each other, one
// begins empty.
const later = new RegExp(
  [
    "ui/act/(area|choice|confirm|dialog|file|sought|written)",
    "ui/data/(facts|in-pages|list-card|pager|timeline)",
    "ui/table/(selection|use-sel)|ui/show/code|ui/frame/(no-match|panel|section|split|tabs)",
    "pages/parts/(audit|change-button|console-link|webhook-toggle|import|keys|filters|deliveries|delivery|read|receiver|statement|wallet)",
    "format/(csv|period|save)|src/domain/csv",
    "wire/for-each|route/(filters|trail)",
  ].join("|"),
);

// Builds the console's pages, which the daemon serves below /console. Nothing is inlined: the
// pages' policy allows neither inline scripts nor inline styles.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fileURLToPath(new URL("../dist/console", import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // The oldest browsers that know light-dark() and dynamic imports.
    target: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // The modules that several pages share make two files instead of forty small ones.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: "plot", test: /uplot|ui\/data\/plot/, priority: 3 },
            { name: "lists", test: later, priority: 2 },
            {
              name: "shared",
              test: /console\/src\/(ui|wire|route|format|browser|text(?!\/de)|pages\/parts)\/|preact|openapi-fetch/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
