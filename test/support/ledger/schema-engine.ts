import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import type * as Bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import { inCheckout } from "../checkout.ts";
import { openCatalogueReader } from "./catalogue-reader.ts";

// Prisma's own schema engine, as WebAssembly, for development: it needs no download and no binary.

const filters = { externalTables: ["public._prisma_migrations"], externalEnums: [] };

/**
 * The SQL from the database, or from nothing, to schema.prisma; an empty string when there is no
 * drift. Reads only. CHECK constraints are outside of what Prisma describes and are not compared.
 */
export async function schemaDiff(
  url: string,
  from: "database" | "nothing" = "database",
): Promise<string> {
  const files = schemaFiles();
  const source: Bindings.DiffTarget =
    from === "nothing" ? { tag: "empty" } : { tag: "schemaDatasource", files, configDir: "." };
  const asked = { from: source, to: { tag: "schemaDatamodel", files }, filters } as const;
  const options = { script: true, exitCode: null, shadowDatabaseUrl: null };
  const result = await withEngine(url, (engine) => engine.diff({ ...asked, ...options }));
  const sql = result.stdout ?? "";
  return sql.includes("empty migration") ? "" : sql;
}

/**
 * What `prisma migrate deploy` does: applies the migrations it finds pending, and answers their
 * names.
 */
export async function deployMigrations(url: string): Promise<string[]> {
  const baseDir = inCheckout("prisma", "migrations");
  const entries = readdirSync(baseDir, { withFileTypes: true });
  const migrationDirectories = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const value = readFileSync(`${baseDir}/${name}/migration.sql`, "utf8");
      const content = { tag: "ok", value } as const;
      return { path: name, migrationFile: { path: "migration.sql", content } };
    });
  const lockfile = {
    path: "migration_lock.toml",
    content: readFileSync(`${baseDir}/migration_lock.toml`, "utf8"),
  };
  const migrationsList = { baseDir, lockfile, shadowDbInitScript: "", migrationDirectories };
  const none = { externalTables: [], externalEnums: [] };
  const result = await withEngine(url, (engine) =>
    engine.applyMigrations({ migrationsList, filters: none }),
  );
  return result.appliedMigrationNames;
}

function schemaFiles() {
  const path = inCheckout("prisma", "schema.prisma");
  return [{ path, content: readFileSync(path, "utf8") }];
}

async function withEngine<T>(
  url: string,
  work: (engine: Bindings.SchemaEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine } = await loadEngine();
  const pool = openCatalogueReader(url);
  const engine = await SchemaEngine.new(
    { datamodels: schemaFiles().map(({ path, content }) => [path, content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(sendingWhole(new PrismaPg(pool))),
  );
  try {
    return await work(engine);
  } finally {
    engine.free();
    await pool.end();
  }
}

/**
 * The adapter sends a script in pieces, cut at every semicolon, also within a function's body. The
 * engine that `prisma migrate deploy` uses sends a migration whole, and so does this.
 */
function sendingWhole(factory: PrismaPg): PrismaPg {
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => void (await adapter.underlyingDriver().query(script));
    return adapter;
  };
  return factory;
}

type Instantiated = typeof Bindings & { __wbg_set_wasm: (exports: object) => void };

/**
 * What is used of the standard object: the types of this project are of the language alone, which
 * has it not.
 */
declare const WebAssembly: {
  instantiate: (
    bytes: Uint8Array,
    imports: Record<string, object>,
  ) => Promise<{ instance: { exports: Record<string, unknown> } }>;
};

// Once a process: the bindings keep views of the memory of the instance they were given.
let loading: Promise<Instantiated> | undefined;

function loadEngine(): Promise<Instantiated> {
  loading ??= instantiate();
  return loading;
}

// The package's own entry imports the .wasm file as a module, which Node 20 does not do:
// instantiate it by hand.
async function instantiate(): Promise<Instantiated> {
  const require = createRequire(import.meta.url);
  const file = require.resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  const bindings: Instantiated = await import(pathToFileURL(file).href);
  const bytes = readFileSync(file.replace(/\.js$/, ".wasm"));
  const { instance } = await WebAssembly.instantiate(bytes, { "./schema_engine_bg.js": bindings });
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => process.stderr.write(`${message}\n`),
    },
  });
  bindings.__wbg_set_wasm(instance.exports);
  const start = instance.exports["__wbindgen_start"];
  if (typeof start === "function") start();
  return bindings;
}
