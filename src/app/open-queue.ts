import { Fault } from "../domain/fault.ts";
import { leadsToPooler } from "../ledger/postgres/connection/pooler.ts";
import { watchedConnectionTo } from "../ledger/postgres/connection/watched-connection.ts";
import { reaching } from "../ledger/postgres/reaching.ts";
import {
  type DeliveryQueue,
  openDeliveryQueue,
  type QueueBackend,
} from "../queue/delivery-queue.ts";
import type { Base } from "./base.ts";

type QueueBase = {
  config: Pick<Base["config"], "queue" | "redis" | "databaseUrl" | "databaseDirectUrl">;
  installation: string;
};

/**
 * Opens the queue that the configuration names. Its `check` also fails if a queue in PostgreSQL is
 * behind a pooler.
 */
export function openQueue(base: QueueBase, onError: (error: Error) => void): DeliveryQueue {
  const backend = queueBackend(base);
  const queue = openDeliveryQueue({ backend, onError });
  return {
    ...queue,
    async check() {
      if (backend.kind === "postgres") await requireDirect(directUrl(base));
      await queue.check();
    },
  };
}

/** The URL for work that needs its own session: past the pooler if the configuration has one. */
export function directUrl({ config }: Pick<QueueBase, "config">): string {
  return config.databaseDirectUrl ?? config.databaseUrl;
}

/**
 * A queue in PostgreSQL has state in its sessions, and listens. A pooler breaks both.
 * @throws Fault `queue_refused`
 */
async function requireDirect(databaseUrl: string): Promise<void> {
  if (!(await reaching(() => leadsToPooler(databaseUrl)))) return;
  throw new Fault(
    "queue_refused",
    "The queue in PostgreSQL does not work through a pooler: set DATABASE_DIRECT_URL to the server itself, or use Redis.",
  );
}

function queueBackend(base: QueueBase): QueueBackend {
  const { config, installation } = base;
  return config.queue === "redis" && config.redis !== null
    ? { kind: "redis", servers: config.redis, namespace: `chainbell_${installation}` }
    : {
        kind: "postgres",
        server: watchedConnectionTo(directUrl(base)),
        namespace: "chainbell_queue",
      };
}
