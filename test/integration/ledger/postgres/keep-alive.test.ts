import { readFile } from "node:fs/promises";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../../../src/ledger/installation/migrate.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { overTcp, runSql } from "../../../support/ledger/databases.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();

/**
 * The timer of a connection in Linux: 02 tests it, and 01 waits for an acknowledgement. Its time
 * there is in hundredths of a second.
 */
async function timerOf(port: number): Promise<{ kind: string; dueMs: number }> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8")),
  );
  const rows = tables.flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/)));
  const timer = rows.find(([, from]) => from?.endsWith(local) === true)?.[5] ?? "";
  const [kind = "", due = ""] = timer.split(":");
  return { kind, dueMs: Number.parseInt(due, 16) * 10 };
}

async function expectTested(port: number) {
  const tested = async () => {
    const { kind, dueMs } = await timerOf(port);
    return kind === "02" ? dueMs : undefined;
  };
  const dueMs = await waitFor(tested, { what: "a timer that tests it", timeoutMs: 10_000 });
  expect(dueMs).toBeLessThanOrEqual(10_000);
}

test.runIf(process.platform === "linux")(
  "a migration's connection is tested while it waits, so that a dead one does not hang it",
  async () => {
    await runSql(
      ledger.url,
      `DELETE FROM "_prisma_migrations" WHERE migration_name LIKE '%chain_lag'`,
    );
    const holder = new pg.Client({ connectionString: ledger.url });
    await holder.connect();
    try {
      await holder.query("SELECT pg_advisory_lock(7163384643246252908)");
      const end = new AbortController();
      const migrating = migrate({
        databaseUrl: overTcp(ledger.url).href,
        stopping: end.signal,
      });
      migrating.catch(() => {});
      const waiting = async () => {
        const { rows } = await holder.query<{ port: number }>(`
          SELECT client_port AS port FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event = 'advisory'`);
        return rows[0]?.port;
      };
      const what = "a migration that waits";
      await expectTested(await waitFor(waiting, { what, timeoutMs: 10_000 }));
      end.abort();
      await expect(migrating).rejects.toMatchObject({ code: "database_unavailable" });
    } finally {
      await holder.end();
    }
  },
);

test.runIf(process.platform === "linux")("so is each connection of a pool", async () => {
  const db = openDatabase({ databaseUrl: overTcp(ledger.url).href, poolSize: 1 });
  onTestFinished(() => db.$disconnect());
  const rows = await statementsOf(db).$queryRaw<{ port: number }[]>`
    SELECT inet_client_port() AS port`;
  await expectTested(rows[0]?.port ?? 0);
});
