// A PostgreSQL of a benchmark's own, with the settings that PostgreSQL itself has, and databases in it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import {
  openEmbeddedPostgres,
  removeEmbeddedPostgres,
} from "../../dist/development/embedded-postgres.js";
import { silent } from "./silent.mjs";

/** Ends with `end`, which also removes its data. */
export async function openCluster() {
  const dataDir = await mkdtemp(join(tmpdir(), "chainbell-bench-"));
  const postgres = await openEmbeddedPostgres({ dataDir, settings: {}, log: silent });
  const admin = new pg.Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  let made = 0;
  return {
    dataDir,
    /** An empty database, or a copy of one that nobody is connected to; resolves with its URL. */
    async createDatabase(template = "template0") {
      made += 1;
      const name = `bench_${made}`;
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      return { name, url: Object.assign(new URL(postgres.adminUrl), { pathname: name }).href };
    },
    drop: (name) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`),
    /** What was written before costs nothing later on. */
    settle: () => admin.query("CHECKPOINT"),
    async end() {
      await admin.end();
      await postgres.close();
      await removeEmbeddedPostgres(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
