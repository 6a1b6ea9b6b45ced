// @ts-check
// Writes the Prisma client of prisma/schema.prisma to src/ledger/generated, as `prisma generate` does and with the same
// packages. Prisma's command line itself is a tool of the tests: it is three times as large. Usage: node scripts/generate.mjs
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
/** @type {typeof import("@prisma/internals")} */
const { getGenerators, loadSchemaContext } = require("@prisma/internals");
/** @type {typeof import("@prisma/client-generator-ts")} */
const { PrismaClientTsGenerator } = require("@prisma/client-generator-ts");

// The generator only checks that a schema engine exists and never runs it: naming any file spares a download.
process.env["PRISMA_SCHEMA_ENGINE_BINARY"] = process.execPath;

const schema = fileURLToPath(new URL("../prisma/schema.prisma", import.meta.url));
const generators = await getGenerators({
  cliCommand: "generate",
  schemaContext: await loadSchemaContext({
    schemaPath: { cliProvidedPath: schema },
    printLoadMessage: false,
  }),
  registry: { "prisma-client": { type: "in-process", generator: new PrismaClientTsGenerator() } },
});
for (const generator of generators) {
  await generator.generate();
  generator.stop();
}
