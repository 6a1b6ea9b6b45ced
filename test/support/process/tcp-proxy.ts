import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/**
 * A connection in between that can fall silent without closing, as proxies and mobile networks let
 * them.
 */
export async function startTcpProxy(targetPort: number) {
  const pairs = new Set<Pair>();
  let accepted = 0;
  let refused = 0;
  let used = 0;
  let limit = Number.POSITIVE_INFINITY;
  let lost: string | null = null;
  let unheard: string | null = null;
  let dripped: string | null = null;
  const server = createServer((near) => {
    if (pairs.size >= limit) {
      refused += 1;
      return void near.destroy();
    }
    accepted += 1;
    const far = connect(targetPort, "127.0.0.1");
    const pair = { near, far, isSilent: false, isCut: false };
    pairs.add(pair);
    // Before the pipe, which passes nothing to a socket that is closed by then.
    far.on("data", (answer: Buffer) => {
      if (lost === null || !answer.includes(lost)) return;
      lost = null;
      near.destroy();
    });
    near.on("data", (asked: Buffer) => {
      if (unheard !== null && asked.includes(unheard)) {
        unheard = null;
        silenceOne(pair);
      }
      if (dripped !== null && asked.includes(dripped)) {
        dripped = null;
        dripOver(pair);
      }
    });
    near.pipe(far);
    far.pipe(near);
    // The first that comes back may be a handshake.
    far.once("data", () => far.once("data", () => (used += 1)));
    for (const socket of [near, far]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        if (pair.isCut && !(near.destroyed && far.destroyed)) return;
        near.destroy();
        far.destroy();
        pairs.delete(pair);
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    /** Connections made so far. */
    accepted: () => accepted,
    /** Connections that were not taken. */
    refused: () => refused,
    /** Connections that are open now. */
    connected: () => pairs.size,
    /** Those of them over which something was answered, beside a handshake. */
    used: () => used,
    /**
     * What is connected now stays so, and passes nothing on any more. New connections are whole.
     */
    silence() {
      for (const pair of pairs) silenceOne(pair);
    },
    /** The next connection over which this text is asked falls silent before the answer. */
    silenceAt(text: string) {
      unheard = text;
    },
    /** The next connection over which this text is asked answers in drips from then on. */
    dripAt(text: string) {
      dripped = text;
    },
    /** Connections that have fallen silent and were not given up yet. */
    silent: () => [...pairs].filter(({ isSilent }) => isSilent).length,
    /**
     * As `silence`, and what is connected now does not even hear that the other side closes, as
     * where packets are dropped.
     */
    cutOff() {
      for (const pair of pairs) pair.isCut = true;
      this.silence();
    },
    /** The next answer with this text is lost, and its connection ends. What was asked is done. */
    loseAnswer(text: string) {
      lost = text;
    },
    /**
     * So many connections at a time, as a provider's plan has it: the newest beyond them are
     * closed, others not taken.
     */
    allow(count: number) {
      limit = count;
      for (const { near } of [...pairs].slice(count)) near.destroy();
    },
    async stop() {
      server.close();
      for (const pair of pairs) {
        pair.isCut = false;
        pair.near.destroy();
        pair.far.destroy();
      }
    },
  };
}

type Pair = { near: Socket; far: Socket; isSilent: boolean; isCut: boolean };

function silenceOne(pair: Pair): void {
  const { near, far } = pair;
  pair.isSilent = true;
  near.unpipe(far);
  far.unpipe(near);
  near.resume();
  far.resume();
}

/** 20 KB a second, whatever the server has sent by then. */
const drip = { bytes: 2_048, everyMs: 100 };

function dripOver({ near, far }: Pair): void {
  let left = Buffer.alloc(0);
  far.unpipe(near);
  far.on("data", (answer: Buffer) => {
    left = Buffer.concat([left, answer]);
  });
  far.resume();
  const timer = setInterval(() => {
    near.write(left.subarray(0, drip.bytes));
    left = left.subarray(drip.bytes);
  }, drip.everyMs);
  near.once("close", () => clearInterval(timer));
}
