// The thread of one attacker: see neighbours.ts.
import { parentPort } from "node:worker_threads";
import { randomAddress } from "../support/random-address.ts";

/**
 * A request, as the attacker sends it again and again, with its paths and its bodies in turn.
 * `type`: of the body. A name is a method and a path as the API describes them.
 */
export type Ask = {
  name: string;
  method: string;
  paths: string[];
  key: string;
  type: string;
  bodies: string[];
};

export type Attack = { ask: Ask; url: string; concurrent: number; blockchain: string };

/** How many requests were answered with each status; 0: with none. */
export type Answers = [status: number, count: number][];

const askTimeoutMs = 20_000;

/**
 * Says that it begins, and asks again and again, so many at a time, until it is told to stop. Then
 * it says what came.
 */
export async function attack({ concurrent, ...attacking }: Attack): Promise<void> {
  const answers = new Map<number, number>();
  let isOver = false;
  parentPort?.once("message", () => {
    isOver = true;
  });
  let turn = 0;
  const one = async () => {
    while (!isOver) {
      turn += 1;
      const status = await send(attacking, turn);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  parentPort?.postMessage("begins");
  await Promise.all(Array.from({ length: concurrent }, one));
  const said: Answers = [...answers];
  parentPort?.postMessage(said);
}

/** Sends a request once. Answers its status; 0 where there was no answer. */
async function send(
  { url, ask, blockchain }: Omit<Attack, "concurrent">,
  turn: number,
): Promise<number> {
  const { name, method, paths, key, type, bodies } = ask;
  const [path, body] = [paths[turn % paths.length], bodies[turn % bodies.length]];
  const isSignIn = path === "/console/session";
  const { origin } = new URL(url);
  const asBrowser = { origin, "sec-fetch-site": "same-origin" };
  // An address can be added once.
  const fresh = JSON.stringify({ blockchain, address: randomAddress() });
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(isSignIn ? asBrowser : { "x-api-key": key }),
      ...(method === "GET" ? {} : { "content-type": type }),
    },
    ...(method === "GET" ? {} : { body: name === "POST /wallets" ? fresh : (body ?? "") }),
    // A stream never ends by itself.
    signal: AbortSignal.timeout(askTimeoutMs),
  }).catch(() => null);
  await response?.arrayBuffer().catch(() => null);
  return response?.status ?? 0;
}
