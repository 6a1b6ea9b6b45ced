import { expect, onTestFinished, test } from "vitest";
import { reaching } from "../../../../src/ledger/postgres/reaching.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { inCheckout } from "../../../support/checkout.ts";
import { allTests } from "../../../support/each-test.ts";
import { type Database, openDatabase } from "../../../support/ledger/database.ts";
import { openReplicated } from "../../../support/ledger/replicated.ts";
import { waitFor } from "../../../support/wait-for.ts";

const servers = allTests(openReplicated, (one) => one.end());
const timeoutMs = 60_000;

const tls = "test/integration/queue/tls";

function open(target: string): Database {
  const db = openDatabase({
    databaseUrl: `${servers.url}?target_session_attrs=${target}`,
    poolSize: 2,
  });
  onTestFinished(() => db.$disconnect());
  return db;
}

const portOf = (url: string) => Number(new URL(url).port);

async function portReached(db: Database): Promise<number | undefined> {
  const rows = await statementsOf(db).$queryRaw<
    { port: number }[]
  >`SELECT inet_server_port() AS port`;
  return rows[0]?.port;
}

test("a connection leads to a server that is as the URL says", async () => {
  const [primary, replica] = [portOf(servers.primaryUrl), portOf(servers.replicaUrl)];
  for (const target of ["read-write", "primary"])
    expect(await portReached(open(target))).toBe(primary);
  for (const target of ["read-only", "standby", "prefer-standby", "any"])
    expect(await portReached(open(target))).toBe(replica);
});

test("without a word in the URL, a database of several servers is one that is written to", async () => {
  const db = openDatabase({ databaseUrl: servers.url, poolSize: 1 });
  onTestFinished(() => db.$disconnect());
  expect(await portReached(db)).toBe(portOf(servers.primaryUrl));
});

test("a certificate has to be that of the server that was chosen", async () => {
  await servers.encrypt({
    cert: inCheckout(tls, "server.pem"),
    key: inCheckout(tls, "server-key.pem"),
  });
  const port = portOf(servers.primaryUrl);
  const url = new URL(servers.primaryUrl);
  const read = async (hosts: string, caFile: string) => {
    const query = `sslmode=verify-full${caFile && `&sslrootcert=${caFile}`}`;
    const databaseUrl = `${url.href.replace(url.host, hosts)}?${query}`;
    const db = openDatabase({ databaseUrl, poolSize: 1 });
    onTestFinished(() => db.$disconnect());
    const rows = await statementsOf(db).$queryRaw<
      { ssl: boolean }[]
    >`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
    return rows[0]?.ssl;
  };
  const ca = inCheckout(tls, "ca.pem");
  // The certificate is for localhost and 127.0.0.1; nobody listens at port 1.
  await waitFor(() => read(`localhost:${port}`, ca), { what: "encryption", timeoutMs });
  expect(await read(`0.0.0.0:1,localhost:${port}`, ca)).toBe(true);
  await expect(read(`localhost:1,0.0.0.0:${port}`, ca)).rejects.toMatchObject({
    code: "database_unavailable",
  });
  await expect(read(`0.0.0.0:1,localhost:${port}`, "")).rejects.toMatchObject({
    code: "database_unavailable",
  });
});

test("while no server fits the database is out of reach, and a primary that was replaced gets nothing", async () => {
  servers.killPrimary();
  const db = open("read-write");
  const unavailable = { code: "database_unavailable" };
  await expect(portReached(db)).rejects.toMatchObject(unavailable);
  await expect(reaching(() => db.business.count())).rejects.toMatchObject(unavailable);
  // A replica that is asked for is there all the same.
  expect(await portReached(open("prefer-standby"))).toBe(portOf(servers.replicaUrl));
  await servers.promote();
  await servers.restartPrimary();
  // Both take writes now. The URL names the new primary first, so each order is asked.
  for (const url of [servers.url, servers.urlPrimaryFirst]) {
    const written = openDatabase({ databaseUrl: url, poolSize: 1 });
    onTestFinished(() => written.$disconnect());
    expect(await portReached(written)).toBe(portOf(servers.replicaUrl));
  }
  // Nor while the new one is out of reach: what it was given since would be missing.
  servers.killReplica();
  const alone = open("read-write");
  await waitFor(async () => refusalOf(await portReached(alone).catch((error) => error)), {
    what: "the old primary to be refused by name",
    timeoutMs,
  });
});

/** Whether any of an error's causes says that a server was replaced. */
function refusalOf(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.message.includes("was replaced: its timeline is 1")) return true;
  return false;
}
