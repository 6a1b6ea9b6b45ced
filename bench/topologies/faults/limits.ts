import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openCluster } from "../../../test/support/ledger/cluster.ts";
import { runSql } from "../../../test/support/ledger/databases.ts";
import type { Fault } from "../fault.ts";
import { usual, withRedis } from "./usual.ts";

const againMs = 50;
/** All that have ever asked for something. */
const endClients =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND query <> ''";
/** Fewer than a daemon's sockets. */
const tooFewFiles = 16;

export const limitFaults = {
  "postgres-full": {
    about: "others use up PostgreSQL's connections, and the daemon loses its own",
    async open(world) {
      const settings = { max_connections: "40" };
      const cluster = await world.open(openCluster(settings), (one) => one.end());
      const ground = await usual(world, await cluster.createDatabase("topology"));
      const crowd = openCrowd(ground.databaseUrl);
      world.onEnd(crowd.leave);
      return { ...ground, begin: crowd.fill, finish: crowd.leave };
    },
  },
  "files-few": {
    about: "each process may have 256 files and connections open, all the time",
    async open(world) {
      return { ...(await usual(world)), under: ["prlimit", "--nofile=256:256"] };
    },
  },
  "files-none": {
    about: "the daemon's connections break, and it can open no file or connection",
    open: (world) =>
      withRedis(world, (redis, { databaseUrl, roles: [roles = ""] }) => {
        const limit = (pid: number, files: string) =>
          execFileSync("prlimit", [`--pid=${pid}`, `--nofile=${files}:`]);
        return {
          under: ["prlimit", "--nofile=1024:1024"],
          async begin({ running }) {
            limit(running(roles).pid, String(tooFewFiles));
            await runSql(databaseUrl, endClients);
            await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
          },
          finish: async ({ running }) => limit(running(roles).pid, "1024"),
        };
      }),
  },
} satisfies Record<string, Fault>;

/** Clients that do nothing. They take what is free, and what becomes free. */
function openCrowd(connectionString: string) {
  const clients: pg.Client[] = [];
  let isLeaving = false;
  const take = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString });
    client.on("error", () => {});
    try {
      await client.connect();
      clients.push(client);
      return true;
    } catch {
      await client.end().catch(() => {});
      return false;
    }
  };
  const takeOn = async () => {
    while (!isLeaving) if (!(await take())) await sleep(againMs);
  };
  let taking: Promise<unknown> = Promise.resolve();
  return {
    async fill(): Promise<void> {
      while (await take());
      taking = Promise.all(Array.from({ length: 10 }, takeOn));
      taking.catch(() => {});
      await clients[0]?.query(endClients);
    },
    async leave(): Promise<void> {
      isLeaving = true;
      await taking;
      await Promise.all(clients.splice(0).map((client) => client.end()));
    },
  };
}
