import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import pg from "pg";
import { processOf } from "./pooler.ts";
import type { ConnectionSettings } from "./short-connection.ts";

/**
 * A connection that knows since when it has been waiting for an answer, by a clock that only grows, and that can be given up. The
 * driver can do neither: its own limit for an answer is one limit for all statements, short and long.
 */
export class WatchedClient extends pg.Client {
  /** The server's process that works for it; null: not known, as behind a pooler. */
  backendPid: number | null = null;
  #isPooled = false;
  /** In ms; null: it waits for nothing. */
  askedAtMs: number | null = null;
  /** When it was answered last, in ms. */
  heardAtMs = performance.now();
  readonly #sockets: readonly Duplex[];

  constructor({
    stream,
    ...config
  }: Omit<pg.ClientConfig, "stream"> & Partial<ConnectionSettings> = {}) {
    const sockets: Duplex[] = [];
    const open = (...given: unknown[]) => {
      const socket = stream?.(...given) ?? new Socket();
      sockets.push(socket);
      return socket;
    };
    super({ ...config, stream: open });
    this.#sockets = sockets;
    this.query = new Proxy(this.query, {
      apply: (query, self, args) => {
        this.askedAtMs ??= performance.now();
        return Reflect.apply(query, self, this.#isPooled ? args.map(withoutName) : args);
      },
    });
    // What was asked is answered, and nothing else was asked meanwhile.
    this.on("drain", () => {
      this.askedAtMs = null;
      this.heardAtMs = performance.now();
    });
  }

  /** What it waits for fails, and whoever has it replaces it. */
  giveUp(): void {
    for (const socket of this.#sockets)
      socket.destroy(new Error("Connection terminated: nothing was heard of it any more."));
  }

  /**
   * Notes the server's process where the connection leads to it without a pooler. Behind one, nothing is prepared under a name: the
   * next statement may go to a server that does not know it, or knows another one by it.
   */
  noteBackend(pid: number): void {
    this.#isPooled = processOf(this) !== pid;
    this.backendPid = this.#isPooled ? null : pid;
  }
}

function withoutName(part: unknown): unknown {
  if (typeof part !== "object" || part === null || !("name" in part)) return part;
  const { name: _, ...query } = part;
  return query;
}
