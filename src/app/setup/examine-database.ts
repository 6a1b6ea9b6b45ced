import { alertLimits } from "../../domain/alerts/alert-kinds.ts";
import { type AlertSettings, channelsOf } from "../../domain/alerts/alert-settings.ts";
import { conditionsOfOne } from "../../domain/alerts/conditions.ts";
import type { ChainStatus } from "../../domain/chain/chain-status.ts";
import { messageWithCause, withCause } from "../../domain/fault-cause.ts";
import type { Liveness } from "../../domain/liveness.ts";
import { parseDatabaseUrl } from "../../domain/setup/database-servers.ts";
import { decryptSecret, keyCheckOf } from "../../domain/webhook/secret.ts";
import { readChannelReports } from "../../ledger/alerts/alert-messages.ts";
import { useAuditKey } from "../../ledger/businesses/audit-key.ts";
import { findAuditKey } from "../../ledger/businesses/open-audit-key.ts";
import { findInserted } from "../../ledger/businesses/verify-audit.ts";
import { readStatus } from "../../ledger/chain/chain-status.ts";
import { readDatabaseReport } from "../../ledger/installation/database-report.ts";
import { readInstallation } from "../../ledger/installation/installation.ts";
import { checkKey } from "../../ledger/installation/key-check.ts";
import { readMigrationState } from "../../ledger/installation/migrate.ts";
import { readLiveness } from "../../ledger/installation/read-liveness.ts";
import { closeDatabase, type Database, openDatabase } from "../../ledger/postgres/database.ts";
import { requireDiskSpace } from "../../ledger/postgres/disk-space.ts";
import { readServer, readVacuuming } from "../../ledger/postgres/measures.ts";
import type { Examined } from "../../operator/setup/doctor.ts";
import { asError } from "../../runtime/as-error.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import { auditSealing } from "../environment/audit-sealing.ts";
import { readPending, remedyOfPending } from "../environment/configuration.ts";
import type { CompleteConfig, Environment } from "../environment/environment.ts";
import { openQueue } from "../open-queue.ts";

/** Resolves with a finding in words. Throws if something is wrong. */
type Look = () => Promise<string>;

/** A smaller difference of clocks delays nothing: leases and due times use the database's clock. */
const clockToleranceMs = 5_000;

const megabyte = 1_048_576;

/**
 * Examines the database, and what can be learned from it. Never throws, and writes nothing.
 * @param readRoom reads the free bytes of its disk; null: its disk may be another machine's
 */
export async function examineDatabase(
  config: CompleteConfig,
  readRoom: Environment["readDatabaseRoom"],
): Promise<Examined[]> {
  const { databaseUrl, databaseDirectUrl } = config;
  const db = openDatabase({ databaseUrl, poolSize: 1 });
  try {
    const server = await look("database", () => sayServer(db, databaseUrl));
    if (server.state !== "ok") return [server];
    const schema = await look("migrations", () => sayMigrations(databaseDirectUrl ?? databaseUrl));
    const examined = [
      server,
      await look("clock", () => sayClock(db)),
      await look("disk", () => sayDisk(db, readRoom)),
      schema,
    ];
    for (const { what, examine } of checksOf(db, config))
      examined.push(...(schema.state === "ok" ? await examine() : [unknown(what, schema.what)]));
    return examined;
  } finally {
    await closeDatabase(db);
  }
}

/** A check that needs this version's schema. It never throws. */
type Check = { what: string; examine: () => Promise<Examined[]> };

/** The checks in the order in which they are shown. */
function checksOf(db: Database, config: CompleteConfig): Check[] {
  const { alerts } = config;
  const one = (what: string, say: Look): Check => ({
    what,
    examine: async () => [await look(what, say)],
  });
  return [
    one("key", () => sayKey(db, config)),
    one("audit", () => sayAudit(db, config)),
    one("watched", () => sayWatched(db, config)),
    one("queue", () => sayQueue(db, config)),
    one("size", () => saySize(db)),
    one("snapshots", () => saySnapshots(db)),
    one("claims", async () => sayClaims(await readLiveness(db))),
    { what: "chains", examine: () => examineChains(db) },
    one("deliveries", () => sayDeliveries(db)),
    ...(alerts === null ? [] : [one("alerts", () => sayAlerts(db, alerts))]),
  ];
}

async function examineChains(db: Database): Promise<Examined[]> {
  try {
    const { chains } = await readStatus(db, clock.now());
    const liveness = await readLiveness(db);
    return await Promise.all(
      chains.map((chain) => look(`chain ${chain.name}`, async () => sayChain(chain, liveness))),
    );
  } catch (thrown) {
    return [fault("chains", thrown)];
  }
}

function unknown(what: string, because: string): Examined {
  return { what, state: "unknown", says: `not looked at, because of the ${because}` };
}

function fault(what: string, thrown: unknown): Examined {
  return { what, state: "fault", says: messageWithCause(asError(thrown)) };
}

async function look(what: string, at: Look): Promise<Examined> {
  try {
    return { what, state: "ok", says: await at() };
  } catch (thrown) {
    return fault(what, thrown);
  }
}

/** Names the server too, where the URL names several. */
async function sayServer(db: Database, databaseUrl: string): Promise<string> {
  const startedMs = clock.elapsed();
  const { version, at, isReplica, connections, maxConnections } = await readServer(db);
  const reading = parseDatabaseUrl(databaseUrl);
  const isOneOfSeveral = "value" in reading && reading.value.servers.length > 1;
  const which = isOneOfSeveral && at !== null ? `${version} at ${at}` : version;
  const says = `PostgreSQL ${which}, ${Math.round(clock.elapsed() - startedMs)} ms, ${connections} of ${maxConnections} connections`;
  if (isReplica) throw new Error(`${says}: it is a replica, which cannot be written to`);
  return says;
}

async function sayClock(db: Database): Promise<string> {
  const beforeMs = clock.now();
  const { nowMs } = await readServer(db);
  const differenceMs = Math.round(nowMs - (beforeMs + clock.now()) / 2);
  const says = `this machine and the database differ by ${Math.abs(differenceMs)} ms`;
  if (Math.abs(differenceMs) > clockToleranceMs) throw new Error(says);
  return says;
}

/**
 * PostgreSQL does not report the free space of its disk. Only a process on its machine can read it.
 */
async function sayDisk(db: Database, readRoom: Environment["readDatabaseRoom"]): Promise<string> {
  await requireDiskSpace(db);
  if (readRoom === null)
    return "PostgreSQL can write; it cannot report free disk space: monitor that on its host";
  return `PostgreSQL can write; ${Math.floor((await readRoom()) / megabyte)} MB are left for it`;
}

async function sayMigrations(databaseUrl: string): Promise<string> {
  const { pending } = await readMigrationState({ databaseUrl });
  if (pending.length > 0)
    throw new Error(
      `${pending.length} are missing, from ${pending[0]} on: start the daemon, or run chainbell migrate`,
    );
  return "the schema is this version's";
}

async function sayKey(db: Database, { encryptionKeys }: CompleteConfig): Promise<string> {
  const [first, ...others] = encryptionKeys;
  await checkKey(db, {
    checks: [keyCheckOf(first), ...others.map(keyCheckOf)],
    keeps: false,
    opens: (stored, businessId) => void decryptSecret(encryptionKeys, stored, businessId),
  });
  return others.length === 0
    ? "the one of this database"
    : `${encryptionKeys.length} keys, all of this database`;
}

/** Waiting entries are normal, since a daemon places them. Unsigned ones are a fault. */
async function sayAudit(db: Database, { encryptionKeys }: CompleteConfig): Promise<string> {
  const key = await findAuditKey(db, auditSealing(encryptionKeys));
  if (key === null) return "no key yet: the first daemon makes it";
  useAuditKey(db, key);
  const inserted = await findInserted(db);
  if (inserted.length > 0)
    throw new Error(`entries that Chainbell did not write: ${inserted.join(", ")}`);
  return "Chainbell wrote every entry that has no place in the chain";
}

/** Deposits are found only of chains and assets that were applied. */
async function sayWatched(db: Database, config: CompleteConfig): Promise<string> {
  const pending = await readPending(db, config);
  if (pending.length === 0) return "all that the file names";
  const names = pending.slice(0, 10).join(", ");
  throw new Error(`not as the file says: ${names}: ${remedyOfPending(config.mode)}`);
}

async function sayQueue(db: Database, config: CompleteConfig): Promise<string> {
  const heard: Error[] = [];
  const installation = await readInstallation(db);
  const queue = openQueue({ config, installation }, (error) => heard.push(error));
  try {
    await queue.check();
    // In PostgreSQL the first use makes or changes the queue's schema, which only the daemon may
    // do.
    if (config.queue === "postgres") return "in PostgreSQL, past any pooler";
    await queue.has("none");
    return "Redis takes jobs";
  } catch (thrown) {
    const { message } = asError(thrown);
    throw new Error(withCause(message, heard[0]?.message ?? ""), { cause: thrown });
  } finally {
    await queue.close();
  }
}

async function saySize(db: Database): Promise<string> {
  const { sizeBytes, tables } = await readDatabaseReport(db);
  const largest = tables
    .slice(0, 3)
    .map(({ name, rows, bytes }) => `${name} ${megabytes(bytes)} (${rows} rows)`);
  return `${megabytes(sizeBytes)}; largest ${largest.join(", ")}`;
}

function megabytes(bytes: bigint): string {
  return bytes < megabyte ? "below 1 MB" : `${Math.round(Number(bytes) / megabyte)} MB`;
}

/** A session with an open snapshot prevents vacuum from removing dead rows. */
async function saySnapshots(db: Database): Promise<string> {
  const { oldestSnapshotMs, dueDeadRows } = await readVacuuming(db);
  const says = `the oldest is ${Math.round(oldestSnapshotMs / 1_000)} s old; ${dueDeadRows} dead rows of due deliveries`;
  if (oldestSnapshotMs > alertLimits.snapshotMs)
    throw new Error(`${says}: end the session that holds it (pg_stat_activity)`);
  if (dueDeadRows > alertLimits.dueDeadRows)
    throw new Error(`${says}: vacuum the table due_delivery`);
  return says;
}

function sayClaims({ claimMs }: Liveness): string {
  const says = `the slowest of the last seconds took ${claimMs} ms`;
  if (claimMs > alertLimits.claimMs) throw new Error(`${says}: notifications are late`);
  return says;
}

async function sayDeliveries(db: Database): Promise<string> {
  const { outbox } = await readStatus(db, clock.now());
  const liveness = await readLiveness(db);
  const nowMs = clock.now();
  const waitingMs = nowMs - (outbox.oldestWaitingAt?.getTime() ?? nowMs);
  const lateMs = nowMs - (outbox.lateSince?.getTime() ?? nowMs);
  const says = `${outbox.waiting} wait, the oldest for ${Math.round(waitingMs / 1_000)} s; ${outbox.held} held`;
  if (liveness.dispatchers === 0) throw new Error(`no process sends; ${says}`);
  if (liveness.relays === 0) throw new Error(`no process passes on what is due; ${says}`);
  if (lateMs > alertLimits.notificationWaitMs)
    throw new Error(`${says}: one whose receiver is not failing waits`);
  return says;
}

/**
 * A channel that refused its last message is a fault: the operator would not be told of anything.
 */
async function sayAlerts(db: Database, settings: AlertSettings): Promise<string> {
  const reports = await readChannelReports(db);
  const said = channelsOf(settings).map((name) => {
    const report = reports.find(({ channel }) => channel === name) ?? null;
    const sent = report?.sentAt ?? null;
    const last = sent === null ? "nothing sent within a week" : `last sent ${sent.toISOString()}`;
    const failure = report?.failure ?? null;
    return failure === null
      ? { says: `${name}: ${last}`, isWell: true }
      : { says: `${name}: ${last}, ${report?.waiting ?? 0} wait: ${failure}`, isWell: false };
  });
  const says = said.map((one) => one.says).join("; ");
  if (said.some(({ isWell }) => !isWell)) throw new Error(says);
  return says;
}

/** The alerts of a chain and its endpoints are faults, and so is a hold too short for an alert. */
function sayChain(chain: ChainStatus, liveness: Liveness): string {
  const { position, lagSeconds, reading } = chain;
  const alerts = conditionsOfOne(chain, liveness, clock.now());
  const isHoldKnown = alerts.some(({ kind }) => kind === "ChainbellChainHeld");
  const held = isHoldKnown ? null : (reading?.held ?? null);
  const wrong = [
    ...alerts.map(({ summary }) => summary),
    ...(held === null ? [] : [`${held.what} waits: ${held.why}.`]),
  ];
  if (wrong.length > 0) throw new Error(wrong.join(" "));
  if (position === null) return "no block is read yet";
  return `at ${position}, ${lagSeconds ?? 0} s behind`;
}
