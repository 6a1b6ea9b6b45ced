// Prints the SQL that would take a database to prisma/schema.prisma: nothing when they agree. With
// `nothing` it prints the SQL of the whole schema; the database is then only connected to.
// Usage: node scripts/run.mjs schema-drift <database url> [nothing]
import { schemaDiff } from "../test/support/ledger/schema-engine.ts";

const [url, from] = process.argv.slice(2);
if (url === undefined || (from !== undefined && from !== "nothing"))
  throw new Error("usage: node scripts/run.mjs schema-drift <database url> [nothing]");
process.stdout.write(await schemaDiff(url, from));
