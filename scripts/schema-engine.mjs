// Prisma's own schema engine, as WebAssembly, for development: it needs no download and no binary.
// Usage: node scripts/schema-engine.mjs <database url> [nothing]
// Prints the SQL that would take the database to prisma/schema.prisma: nothing when they agree. With `nothing` it
// prints the SQL of the whole schema; the database is then only connected to.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import pg from "pg";

const prismaFolder = fileURLToPath(new URL("../prisma/", import.meta.url));
const filters = { externalTables: ["public._prisma_migrations"], externalEnums: [] };

/**
 * The SQL from the database, or from nothing, to schema.prisma; an empty string when there is no drift. Reads only.
 * CHECK constraints are outside of what Prisma describes and are not compared.
 */
export async function schemaDiff(url, from = "database") {
  const files = schemaFiles();
  const source =
    from === "nothing" ? { tag: "empty" } : { tag: "schemaDatasource", files, configDir: "." };
  const result = await withEngine(url, (engine) =>
    engine.diff({
      from: source,
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: null,
      shadowDatabaseUrl: null,
      filters,
    }),
  );
  const sql = result.stdout ?? "";
  return sql.includes("empty migration") ? "" : sql;
}

/** What `prisma migrate deploy` does: applies the migrations it finds pending, and answers their names. */
export async function deployMigrations(url) {
  const baseDir = `${prismaFolder}migrations`;
  const names = readdirSync(baseDir, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const migrationDirectories = names.map(({ name }) => {
    const value = readFileSync(`${baseDir}/${name}/migration.sql`, "utf8");
    return { path: name, migrationFile: { path: "migration.sql", content: { tag: "ok", value } } };
  });
  const lockfile = {
    path: "migration_lock.toml",
    content: readFileSync(`${baseDir}/migration_lock.toml`, "utf8"),
  };
  const migrationsList = { baseDir, lockfile, shadowDbInitScript: "", migrationDirectories };
  const result = await withEngine(url, (engine) =>
    engine.applyMigrations({
      migrationsList,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return result.appliedMigrationNames;
}

function schemaFiles() {
  const path = `${prismaFolder}schema.prisma`;
  return [{ path, content: readFileSync(path, "utf8") }];
}

async function withEngine(url, work) {
  const bindings = await loadEngine();
  const pool = catalogueReader(url);
  const engine = await bindings.SchemaEngine.new(
    { datamodels: schemaFiles().map(({ path, content }) => [path, content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool)),
  );
  try {
    return await work(engine);
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
    if (typeof statement === "string") return query(statement, ...rest);
    const text = statement.text.replace(
      /contype NOT IN \([^)]*\)/,
      "contype NOT IN ('p', 'u', 'f', 'n', 'c')",
    );
    const result = await query({ ...statement, text }, ...rest);
    for (const field of result.fields) if (field.dataTypeID === 18) field.dataTypeID = 25;
    return result;
  };
  return pool;
}

// Once a process: the bindings keep views of the memory of the instance they were given.
let loading;

function loadEngine() {
  loading ??= instantiate();
  return loading;
}

// The package's own entry imports the .wasm file as a module, which Node 20 does not do: instantiate it by hand.
async function instantiate() {
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
    throw new Error("usage: node scripts/schema-engine.mjs <database url> [nothing]");
  process.stdout.write(await schemaDiff(url, from));
}
