import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { client } from "../api/api-client.ts";
import type { Anvil } from "../chain/anvil.ts";
import { payer } from "../chain/cast.ts";
import type { Customer } from "../process/customer.ts";
import type { DaemonProcess } from "../process/daemon-process.ts";

/** Between two deposits, and between two rounds of requests. */
const everyMs = 500;

export type Deposits = {
  /** Hashes of the transactions so far. */
  hashes: readonly string[];
  /** Throws what failed meanwhile. */
  stop: () => Promise<void>;
};

/** Pays a wallet over and over, until it is stopped. */
export function depositEvery({ sendNative }: Anvil, wallet: `0x${string}`): Deposits {
  const hashes: string[] = [];
  const { stop } = repeat(async () => {
    hashes.push(await sendNative({ from: payer, to: wallet, amountAtomic: 1n }));
  });
  return { hashes, stop };
}

export type Use = {
  /** How often everything was asked. */
  rounds: () => number;
  /** What was refused so far, as the errors' messages. */
  refused: readonly string[];
  stop: () => Promise<void>;
};

const lists = ["/balance", "/wallets", "/transactions", "/notifications", "/webhooks"];

/** What a business and an operator do all day, until it is stopped. */
export function useEvery({ url, admin }: DaemonProcess, { businessId, key }: Customer): Use {
  const api = client(url, { "x-api-key": key });
  const refused: string[] = [];
  let rounds = 0;
  const { stop } = repeat(async () => {
    const wallets = [{ blockchain: "anvil", address: `0x${randomBytes(20).toString("hex")}` }];
    const asked = [
      () => admin.post(`/admin/businesses/${businessId}/wallets`, { wallets }),
      ...lists.map((path) => () => api.get(path)),
      () => admin.get("/admin/status"),
    ];
    for (const ask of asked) {
      await ask().catch((error: Error) => void refused.push(error.message));
    }
    rounds += 1;
  });
  return { rounds: () => rounds, refused, stop };
}

function repeat(step: () => Promise<void>): { stop: () => Promise<void> } {
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      await step();
      await sleep(everyMs);
    }
  })();
  // Who stops it hears of what failed; until then it must not end the process.
  running.catch(() => {});
  return {
    stop() {
      isStopped = true;
      return running;
    },
  };
}
