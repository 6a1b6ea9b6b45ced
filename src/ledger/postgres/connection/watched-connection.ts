import { Socket } from "node:net";
import type pg from "pg";
import { connectionTo } from "./choose-server.ts";
import { keptAliveOptions } from "./kept-alive.ts";
import type { ConnectionSettings } from "./short-connection.ts";
import { watchForSilence } from "./silence.ts";
import { nothingHeard, WatchedClient } from "./watched-client.ts";

/** The settings of a pool whose connections are watched for silence from their login on. */
type WatchedPool = ConnectionSettings & {
  options: string;
  Client: typeof WatchedClient;
  onConnect: (client: pg.ClientBase) => void;
};

/**
 * The settings for a pool of a library, whose statements are short. Beside the pool, the library
 * opens a connection that only listens. Nobody asks over that, so it is given up with any other
 * connection of the process that is found silent. The server must be no pooler.
 */
export function watchedConnectionTo(databaseUrl: string): WatchedPool {
  const to = connectionTo(databaseUrl);
  const choosing = to.stream === undefined ? {} : { stream: to.stream };
  class PoolClient extends WatchedClient {
    constructor({ stream: _, ...config }: pg.ClientConfig) {
      super(Object.assign(config, choosing));
    }
  }
  return {
    ...to,
    options: keptAliveOptions,
    Client: PoolClient,
    onConnect: (client) => watchClient(databaseUrl, client),
    stream: (...given) => {
      const socket = to.stream?.(...given) ?? new Socket();
      return socket.once("connect", () => {
        const silent = { askedAtMs: null, heardAtMs: performance.now() };
        const giveUp = () => socket.destroy(nothingHeard());
        const worker = { kind: "process", pid: null } as const;
        socket.once("close", watchForSilence(databaseUrl, { ...silent, worker, giveUp }));
      });
    },
  };
}

/** Watches a client of a pool until it ends. */
export function watchClient(databaseUrl: string, client: pg.ClientBase): void {
  if (client instanceof WatchedClient) client.once("end", watchForSilence(databaseUrl, client));
}
