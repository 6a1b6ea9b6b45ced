import pg from "pg";
import { freePort } from "../../src/development/process/free-port.ts";
import { startOwnRedis } from "../../test/support/delivery/redis.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import type { DaemonProcess } from "../../test/support/process/daemon-process.ts";
import { createResources } from "../../test/support/resources.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { startProgram } from "../process/start-program.ts";
import { withApi, withRoles } from "../process/with-api.ts";
import { addNotifiedBusinesses } from "../support/delivery/notified-business.ts";
import { idleDeployment } from "../support/delivery/open-delivery.ts";

export type BusyDelivery = Awaited<ReturnType<typeof openBusyDelivery>>;

/**
 * Where to notify: a receiver that records, one that never answers, one that answers until it is
 * said to hang, and a port at which nobody listens.
 */
export type Targets = { url: string; hangingUrl: string; turningUrl: string; deadUrl: string };

/**
 * A Chainbell that only delivers, with PostgreSQL and Redis that can be restarted under it, and a
 * business for each list of URLs. Whoever opens it ends it.
 */
export async function openBusyDelivery(
  urlListsOf: (targets: Targets) => string[][],
  webhooks: object = {},
) {
  const { open, onEnd, end } = createResources();
  try {
    const cluster = await open(openCluster(), (one) => one.end());
    const servers = { redis: await startOwnRedis() };
    onEnd(() => servers.redis.kill());
    const receiver = await open(startProgram("recording-receiver", null), (one) => one.stop());
    const { port, hangingPort, turningPort } = receiver.ready;
    const deadPort = await freePort();
    const ports = [port, hangingPort, turningPort, deadPort];
    const [url = "", hangingUrl = "", turningUrl = "", deadUrl = ""] = ports.map(
      (one) => `http://127.0.0.1:${one}/hook`,
    );
    const databaseUrl = await cluster.createDatabase("delivered");
    const deployment = idleDeployment({
      databaseUrl,
      redisUrl: servers.redis.url,
      ports,
      webhooks,
    });
    const businesses = await withApi(ourBuild, deployment, (daemon) =>
      addNotifiedBusinesses(daemon, urlListsOf({ url, hangingUrl, turningUrl, deadUrl })),
    );
    const db = new pg.Client({ connectionString: databaseUrl });
    // It is cut off when PostgreSQL is restarted; nobody asks it anything after that.
    db.on("error", () => {});
    await open(db.connect(), () => db.end().catch(() => {}));
    const daemons = new Set<DaemonProcess>();
    onEnd(() => Promise.all([...daemons].map((one) => one.kill())));
    return {
      businesses,
      receiver,
      db,
      end,
      redisUrl: servers.redis.url,
      hangingUrl,
      /**
       * One that relays and dispatches, or has the roles given. Stopped with the rest at the
       * latest.
       */
      async startDaemon(roles = "relay,dispatcher"): Promise<DaemonProcess> {
        // What only delivers does so at once; an API is waited for.
        const readiness = roles.includes("api") ? {} : { isReady: async () => true };
        const daemon = await startDaemon(ourBuild, withRoles(deployment, roles), readiness);
        daemons.add(daemon);
        return daemon;
      },
      restartPostgres: cluster.restart,
      killRedis: () => servers.redis.kill(),
      /** At the port that it had, with nothing in it. */
      async reviveRedis(): Promise<void> {
        servers.redis = await startOwnRedis({ port: servers.redis.port });
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
