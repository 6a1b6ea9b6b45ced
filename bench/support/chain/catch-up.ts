import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import pg from "pg";
import type { Cluster } from "../../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../../test/support/process/customer.ts";
import {
  configure,
  type Deployment,
  deploymentOf,
} from "../../../test/support/process/deployment.ts";
import type { Build } from "../../process/build.ts";
import type { Program } from "../../process/start-program.ts";
import { withApi } from "../../process/with-api.ts";
import { type TransferChain, watchedAddresses } from "./transfer-chain.ts";

const chainName = "anvil";

/**
 * A ledger in which the chain is configured and its wallets are watched; every run begins with a
 * copy of it.
 */
export type Template = { database: string; deployment: Deployment };

export async function prepareLedger(of: {
  cluster: Cluster;
  build: Build;
  chain: TransferChain;
  receipts: "none" | "root";
}): Promise<Template> {
  const { cluster, build, chain, receipts } = of;
  const database = `watched_${randomUUID()}`;
  const deployment = deploymentOf({
    databaseUrl: await cluster.createDatabase(database),
    redisUrl: null,
    // Nothing listens there, and nothing is sent: what is measured ends in the ledger.
    receiverPorts: [9],
    chains: [
      {
        name: chainName,
        rpcUrl: chain.url,
        confirmations: 2,
        startBlock: chain.first,

        tracing: "off",
        receipts,
        nativePrice: null,
        pollMs: null,
        tokens: [{ code: "BEN", address: chain.token, decimals: 18 }],
      },
    ],
  });
  await withApi(build, deployment, ({ url, admin }) =>
    createCustomer({
      url,
      admin,
      blockchain: chainName,
      addresses: [...watchedAddresses],
      receiver: { url: "http://127.0.0.1:9/hook" },
    }),
  );
  return { database, deployment };
}

/**
 * From an empty ledger to the last block in it, confirmed; in seconds. `keep` may read the ledger
 * then.
 */
export async function catchUp(of: {
  cluster: Cluster;
  program: Program<"catch-up">;
  chain: TransferChain;
  template: Template;
  keep?: (databaseUrl: string) => Promise<void>;
}): Promise<number> {
  const { cluster, program, chain, template, keep } = of;
  const database = `caught_up_${randomUUID()}`;
  const databaseUrl = await cluster.createDatabase(database, template.database);
  const { settings } = template.deployment;
  const deployment = { ...template.deployment, settings: { ...settings, databaseUrl } };
  const { folder, environment } = await configure(deployment, 0);
  try {
    await cluster.checkpoint();
    const { seconds } = await program.ask({ chainName, environment, folder });
    await expectWhole(databaseUrl, chain);
    await keep?.(databaseUrl);
    return seconds;
  } finally {
    await rm(folder, { recursive: true, force: true });
    await cluster.drop(database);
  }
}

async function expectWhole(databaseUrl: string, { watched }: TransferChain): Promise<void> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  const sql = `SELECT (SELECT count(*)::int FROM transaction WHERE status = 'completed') AS transactions,
    (SELECT count(*)::int FROM ledger_entry) AS entries, (SELECT count(*)::int FROM delivery) AS deliveries`;
  const { rows } = await db.query<Record<string, number>>(sql).finally(() => db.end());
  if (Object.values(rows[0] ?? {}).some((count) => count !== watched))
    throw new Error(`There are ${JSON.stringify(rows[0])} where ${watched} of each were due.`);
}
