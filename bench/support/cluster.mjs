// A PostgreSQL of a benchmark's own, with as many databases as it wants.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import {
  openEmbeddedPostgres,
  removeEmbeddedPostgres,
} from "../../dist/development/postgres/embedded-postgres.js";
import { silent } from "./silent.mjs";

/** Resolves with what makes databases and, in the end, removes everything. `settings` are the server's. */
export async function openCluster(settings = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "chainbell-bench-"));
  const postgres = await openEmbeddedPostgres({ dataDir, settings, log: silent });
  const administer = async (statement) => {
    const client = new pg.Client({ connectionString: postgres.adminUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  return {
    /** For configuration files; goes with the rest. */
    dataDir,
    /** A fresh database, empty or a copy of one that nobody is connected to; answers its URL. */
    async createDatabase(name, template = "template0") {
      await administer(`CREATE DATABASE "${name}" TEMPLATE "${template}"`);
      return postgres.adminUrl.replace(/\/[^/]*$/, `/${name}`);
    },
    drop: (name) => administer(`DROP DATABASE "${name}" WITH (FORCE)`),
    /** What was written before costs nothing later on. */
    settle: () => administer("CHECKPOINT"),
    async end() {
      await postgres.close();
      await removeEmbeddedPostgres(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
