import pg from "pg";
import { type BulkOwner, insertBulkHistory } from "../../../test/support/ledger/bulk-history.ts";
import { createCustomer } from "../../../test/support/process/customer.ts";
import type { DaemonProcess } from "../../../test/support/process/daemon-process.ts";
import { type DaemonSettings, deploymentOf } from "../../../test/support/process/deployment.ts";
import type { Report } from "../../runner/bench.ts";
import { randomAddress } from "../random-address.ts";

const walletsPerChain = 50;

type HistoryOptions = {
  databaseUrl: string;
  count: number;
  report: Report;
  /** On each of the two chains; fifty where nothing is said. */
  walletsOnEach?: number;
  /** See BulkHistory. */
  firstMs?: number;
};

export const usdcOfEthereum = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" as const;

/** The chains of such a history, which nobody watches. */
export const historyChains: DaemonSettings["chains"] = [
  { name: "ethereum", chainId: 1, usdc: usdcOfEthereum },
  { name: "base", chainId: 8453, usdc: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" },
].map(({ name, chainId, usdc }) => ({
  name,
  chainId,
  rpcUrl: "http://127.0.0.1:1",
  confirmations: 1,
  pollMs: null,
  nativePrice: { usd: "2500.125" },
  tokens: [{ code: "USDC", address: usdc, decimals: 6, price: { stable: true } }],
}));

/**
 * An API over these chains, and nothing else. It refuses nobody: a limit costs what it costs, and
 * takes nothing away from a measurement.
 */
export const historyDeployment = (databaseUrl: string) =>
  deploymentOf({
    databaseUrl,
    redisUrl: null,
    roles: "api",
    receiverPorts: [],
    chains: historyChains,
    file: { rate_limit: { per_second: 100_000, burst: 1_000_000 } },
  });

export type FilledBusiness = BulkOwner & { key: string };

/**
 * A business with nine in ten of `count` transactions, with balances of its wallets, and another
 * one with the rest. The chains have come as far as the history. Answers the first business.
 */
export async function fillHistory(
  daemon: DaemonProcess,
  { report, walletsOnEach = walletsPerChain, ...history }: HistoryOptions,
): Promise<FilledBusiness> {
  const { databaseUrl, count } = history;
  const owner = await addBusiness(daemon, walletsOnEach);
  const stranger = await addBusiness(daemon, walletsPerChain);
  await insertBulkHistory({ ...history, owner, stranger });
  report(`${count.toLocaleString("en")} rows written`);
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    await settle(db, count);
  } finally {
    await db.end();
  }
  return owner;
}

async function addBusiness(
  { url, admin }: DaemonProcess,
  walletsOnEach: number,
): Promise<FilledBusiness> {
  const none = { blockchain: "ethereum", addresses: [], receiver: null };
  const { businessId, key } = await createCustomer({ url, admin, ...none });
  const wallets = Array.from({ length: 2 * walletsOnEach }, (_, at) => ({
    blockchain: at % 2 === 0 ? "ethereum" : "base",
    address: randomAddress(),
  }));
  const added: { wallet_id: string }[] = await admin.post(
    `/admin/businesses/${businessId}/wallets`,
    {
      wallets,
    },
  );
  return { businessId, key, walletIds: added.map((wallet) => wallet.wallet_id) };
}

/** Every wallet holds something, and every chain has come to the last block. */
async function settle(db: pg.Client, count: number): Promise<void> {
  await db.query(
    `UPDATE chain SET position_number = $1, head_number = $1, confirmed_number = $1,
      position_hash = '0x' || repeat('c', 64), position_time = now()`,
    [count],
  );
  await db.query(
    `UPDATE balance SET opening = 0, confirmed = 10 ^ 17 + wallet_hash, pending = 7
    FROM (SELECT id, abs(hashtext(id::text)) AS wallet_hash FROM wallet) w WHERE w.id = wallet_id`,
  );
  await db.query("VACUUM ANALYZE balance");
}
