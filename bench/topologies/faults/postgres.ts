import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openCluster } from "../../../test/support/ledger/cluster.ts";
import { runSql } from "../../../test/support/ledger/databases.ts";
import { type PoolMode, startPgBouncer } from "../../../test/support/ledger/pgbouncer.ts";
import { openReplicated } from "../../../test/support/ledger/replicated.ts";
import type { Fault, Ground, World } from "../fault.ts";
import { throughProxy, usual } from "./usual.ts";

/** How far the replica is behind when it becomes the primary. */
const behindMs = 15_000;

export const postgresFaults = {
  "postgres-restarted": {
    about: "PostgreSQL is restarted",
    async open(world) {
      const cluster = await world.open(openCluster(), (one) => one.end());
      const ground = await usual(world, await cluster.createDatabase("topology"));
      return { ...ground, begin: cluster.restart };
    },
  },
  "postgres-silent": {
    about: "connections to PostgreSQL fall silent; new ones work",
    resumesWithin: 15,
    async open(world) {
      const ground = await usual(world);
      const { proxy, url } = await throughProxy(world, ground.databaseUrl);
      return { ...ground, databaseUrl: url, begin: async () => proxy.silence() };
    },
  },
  "replica-behind": {
    about: "the primary is lost, and a replica takes over that is 15 s behind",
    async open(world) {
      const servers = await world.open(openReplicated(), (one) => one.end());
      return {
        ...(await usual(world, servers.url)),
        async begin() {
          // What sends the log to the replica stands still, and is gone with its server.
          const senders = await pidsOf(servers.primaryUrl, "SELECT pid FROM pg_stat_replication");
          for (const pid of senders) process.kill(pid, "SIGSTOP");
          await sleep(behindMs);
          servers.killPrimary();
          for (const pid of senders) process.kill(pid, "SIGKILL");
          await servers.promote();
        },
      };
    },
  },
  "replica-in-step": {
    about: "the primary is lost, and a replica takes over that confirms each commit",
    async open(world) {
      const servers = await world.open(openReplicated(), (one) => one.end());
      await servers.confirmCommits();
      return {
        ...(await usual(world, servers.url)),
        async begin() {
          servers.killPrimary();
          await servers.promote();
        },
      };
    },
  },
  pgbouncer: {
    about: "PgBouncer in transaction mode, all the time",
    open: async (world) => behindPgBouncer(world, await usual(world), "transaction"),
  },
  "pgbouncer-queue": {
    about: "the same, with the queue on PostgreSQL and without Redis",
    async open(world) {
      const ground = await usual(world);
      const environment = { DATABASE_DIRECT_URL: ground.databaseUrl };
      const withQueue = { ...ground, redisUrl: null, environment };
      return behindPgBouncer(world, withQueue, "transaction");
    },
  },
  "pgbouncer-session": {
    about:
      "PgBouncer in session mode, and a database whose time zone is Europe/Paris, all the time",
    async open(world) {
      const ground = await usual(world);
      const { pathname } = new URL(ground.databaseUrl);
      const setting = `ALTER DATABASE ${pathname.slice(1)} SET timezone = 'Europe/Paris'`;
      await runSql(ground.databaseUrl, setting);
      return behindPgBouncer(world, ground, "session");
    },
  },
} satisfies Record<string, Fault>;

async function behindPgBouncer(world: World, ground: Ground, mode: PoolMode): Promise<Ground> {
  const { url } = await world.open(startPgBouncer(ground.databaseUrl, mode), (one) => one.stop());
  return { ...ground, databaseUrl: url };
}

async function pidsOf(connectionString: string, query: string): Promise<number[]> {
  const db = new pg.Client({ connectionString });
  await db.connect();
  const { rows } = await db.query<{ pid: number }>(query);
  await db.end();
  return rows.map(({ pid }) => pid);
}
