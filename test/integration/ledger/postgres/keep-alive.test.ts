import { readFile } from "node:fs/promises";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../../../src/ledger/installation/migrate.ts";
import { listenForOutbox } from "../../../../src/ledger/notifications/outbox-signal.ts";
import { watchedConnectionTo } from "../../../../src/ledger/postgres/connection/watched-connection.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { openDeliveryQueue } from "../../../../src/queue/delivery-queue.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { overTcp, runSql } from "../../../support/ledger/databases.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { collectFrom } from "../../queue/collect.ts";

const ledger = eachTestLedger();

const written = (port: number) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;

type Ends = { local: number; remote: number };

/**
 * The timer of one end of a connection in Linux: 02 tests it, and 01 waits for an acknowledgement.
 * Its time there is in hundredths of a second.
 */
async function timerOf({ local, remote }: Ends): Promise<{ kind: string; dueMs: number }> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8")),
  );
  const rows = tables.flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/)));
  const isIt = ([, from = "", to = ""]: string[]) =>
    from.endsWith(written(local)) && to.endsWith(written(remote));
  const [kind = "", due = ""] = (rows.find(isIt)?.[5] ?? "").split(":");
  return { kind, dueMs: Number.parseInt(due, 16) * 10 };
}

/** Expects that this end tests its connection after at most so many ms. */
async function expectTested(ends: Ends, mostMs: number) {
  const tested = async () => {
    const { kind, dueMs } = await timerOf(ends);
    return kind === "02" ? dueMs : undefined;
  };
  const dueMs = await waitFor(tested, { what: "a timer that tests it", timeoutMs: 10_000 });
  expect(dueMs).toBeLessThanOrEqual(mostMs);
}

const serverPort = () => Number(overTcp(ledger.url).port);

const expectTestedByUs = (port: number) =>
  expectTested({ local: port, remote: serverPort() }, 10_000);

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
      await expectTestedByUs(await waitFor(waiting, { what, timeoutMs: 10_000 }));
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
  await expectTestedByUs(rows[0]?.port ?? 0);
});

test.runIf(process.platform === "linux")(
  "the server tests each session that lasts, so that those of a vanished process end",
  async () => {
    const databaseUrl = overTcp(ledger.url).href;
    const db = openDatabase({ databaseUrl, poolSize: 1 });
    onTestFinished(() => db.$disconnect());
    await statementsOf(db).$queryRaw`SELECT 1`;
    let isHeard = false;
    const listener = listenForOutbox({
      databaseUrl,
      onSignal() {
        isHeard = true;
      },
      onPooled: () => {},
      onError: () => {},
      clock: systemClock,
    });
    onTestFinished(() => listener.stop());
    await listener.start();
    await waitFor(() => isHeard, { what: "the listener", timeoutMs: 10_000 });
    const server = watchedConnectionTo(databaseUrl);
    const backend = { kind: "postgres", server, namespace: "chainbell_queue" } as const;
    const queue = openDeliveryQueue({ backend, onError: () => {} });
    onTestFinished(() => queue.close());
    const { consumer, handled } = collectFrom(queue);
    onTestFinished(() => consumer.stop());
    await consumer.start();
    await queue.enqueue([{ token: "a", deliveries: 1 }]);
    await waitFor(() => handled.includes("a"), { what: "the job", timeoutMs: 60_000 });

    const sessions = await statementsOf(db).$queryRaw<{ name: string; port: number }[]>`
      SELECT application_name AS name, client_port AS port FROM pg_stat_activity
      WHERE datname = current_database() AND starts_with(application_name, 'chainbell') AND client_port > 0`;
    const names = new Set(sessions.map(({ name }) => name));
    expect([...names].sort()).toEqual(["chainbell", "chainbell-outbox", "chainbell-queue"]);
    for (const { port } of sessions)
      await expectTested({ local: serverPort(), remote: port }, 30_000);
  },
);
