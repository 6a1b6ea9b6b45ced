// Runs a TypeScript module of the checkout in a process of its own, without a build.
// Usage: node test/support/process/run-typescript.mjs <module, from the checkout's root> [arguments]
import { fileURLToPath } from "node:url";
import { createViteServer } from "vitest/node";

const server = await createViteServer({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  configFile: false,
  appType: "custom",
  logLevel: "error",
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, watch: null, hmr: false, ws: false },
});
await server.ssrLoadModule(`/${process.argv[2]}`);
