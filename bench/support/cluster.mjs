// A PostgreSQL of a benchmark's own, with as many databases as it wants.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import {
  openEmbeddedPostgres,
  removeEmbeddedPostgres,
} from "../../dist/development/embedded-postgres.js";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Resolves with what makes databases and, in the end, removes everything. `settings` are the server's. */
export async function openCluster(settings = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "chainbell-bench-"));
  const postgres = await openEmbeddedPostgres({ dataDir, settings, log: silent });
  return {
    /** For configuration files; goes with the rest. */
    dataDir,
    /** A fresh, empty database; answers its URL. */
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: postgres.adminUrl });
      await client.connect();
      await client.query(`CREATE DATABASE "${name}"`);
      await client.end();
      return postgres.adminUrl.replace(/\/[^/]*$/, `/${name}`);
    },
    async end() {
      await postgres.close();
      await removeEmbeddedPostgres(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
