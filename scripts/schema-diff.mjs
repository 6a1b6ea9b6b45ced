// Prints the SQL that would take a database to prisma/schema.prisma; nothing when they agree. Needs no download.
// Usage: node scripts/schema-diff.mjs <database url> [nothing]
// With `nothing` it prints the SQL of the whole schema; the database is then only connected to.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import pg from "pg";

/**
 * The SQL from the database, or from nothing, to schema.prisma; an empty string when there is no drift. Reads only.
 * CHECK constraints are outside of what Prisma describes and are not compared.
 */
export async function schemaDiff(url, from = "database") {
  const path = fileURLToPath(new URL("../prisma/schema.prisma", import.meta.url));
  const files = [{ path, content: readFileSync(path, "utf8") }];
  const bindings = await loadEngine();
  const pool = catalogueReader(url);
  const engine = await bindings.SchemaEngine.new(
    { datamodels: files.map(({ path, content }) => [path, content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool)),
  );
  try {
    const result = await engine.diff({
      from:
        from === "nothing" ? { tag: "empty" } : { tag: "schemaDatasource", files, configDir: "." },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: null,
      shadowDatabaseUrl: null,
      filters: { externalTables: ["public._prisma_migrations"], externalEnums: [] },
    });
    const sql = result.stdout ?? "";
    return sql.includes("empty migration") ? "" : sql;
  } finally {
    engine.free();
    await pool.end();
  }
}

// The engine asks for constraints of the one-byte type "char" (OID 18), for which the driver adapter has no mapping, and
// since PostgreSQL 18 that list also has every NOT NULL: ask for text, and for no NOT NULL and no CHECK.
function catalogueReader(connectionString) {
  const pool = new pg.Pool({ connectionString, max: 1 });
  const query = pool.query.bind(pool);
  pool.query = async (statement, ...rest) => {
    const text = statement.text?.replace(
      /contype NOT IN \([^)]*\)/,
      "contype NOT IN ('p', 'u', 'f', 'n', 'c')",
    );
    const result = await query({ ...statement, text }, ...rest);
    for (const field of result.fields) if (field.dataTypeID === 18) field.dataTypeID = 25;
    return result;
  };
  return pool;
}

// The package's own entry imports the .wasm file as a module, which Node 20 does not do: instantiate it by hand.
async function loadEngine() {
  const require = createRequire(import.meta.url);
  const file = require.resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  const bindings = await import(pathToFileURL(file).href);
  const bytes = readFileSync(file.replace(/\.js$/, ".wasm"));
  const { instance } = await WebAssembly.instantiate(bytes, { "./schema_engine_bg.js": bindings });
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    set_message: (message) => process.stderr.write(`${message}\n`),
  };
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return bindings;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [url, from] = process.argv.slice(2);
  if (url === undefined)
    throw new Error("usage: node scripts/schema-diff.mjs <database url> [nothing]");
  process.stdout.write(await schemaDiff(url, from));
}
