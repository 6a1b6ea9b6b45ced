// One run of the catch-up into a fresh database, and one of its floor, the bare download.
import { randomBytes, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCatchUpNow } from "../../dist/app/catch-up-now.js";
import { openLedger } from "../../dist/app/open-ledger.js";
import { createEndpoint } from "../../dist/chain/endpoints/endpoint.js";
import { createTransport } from "../../dist/chain/rpc/rpc-transport.js";
import { loadConfig } from "../../dist/config/load-config.js";
import { encryptSecret, newWebhookSecret } from "../../dist/domain/delivery/secret.js";
import { createBusiness } from "../../dist/ledger/businesses/businesses.js";
import { addWallets } from "../../dist/ledger/watchlist/add-wallets.js";
import { systemClock as clock } from "../../dist/runtime/clock.js";
import { silent } from "./silent.mjs";
import { watchedAddresses } from "./transfer-chain.mjs";

/** Blocks that the floor downloads at once: with more it is no faster. */
const downloadsAtOnce = 32;

/** The same blocks and receipts by the same client, and nothing done with them; in seconds. */
export async function download(chain) {
  const transport = createTransport(chain.url, 10_000, clock);
  const endpoint = createEndpoint({ name: "anvil", transport }, clock);
  globalThis.gc();
  const startedMs = performance.now();
  let next = chain.first;
  const work = async () => {
    while (next <= chain.last) {
      const at = `0x${next.toString(16)}`;
      next += 1;
      const block = await endpoint.ask("block", {
        method: "eth_getBlockByNumber",
        params: [at, true],
      });
      await endpoint.ask("receipts", { method: "eth_getBlockReceipts", params: [block.hash] });
    }
  };
  await Promise.all(Array.from({ length: downloadsAtOnce }, work));
  const seconds = (performance.now() - startedMs) / 1_000;
  transport.close();
  return seconds;
}

/** A database in which the chain is configured and the wallets are watched: every run begins with a copy of it. */
export async function prepareLedger(cluster, chain, receipts) {
  const name = `watched_${randomUUID()}`;
  const url = await cluster.createDatabase(name);
  const config = join(cluster.dataDir, `${name}.json`);
  const configured = {
    ...{ name: "anvil", chain_id: 31_337, rpc: [chain.url], confirmations: 2 },
    ...{ start_block: chain.first, tracing: "off", receipts },
    native_asset: { code: "ETH" },
    assets: [{ code: "BEN", address: chain.token, decimals: 18 }],
  };
  await writeFile(config, JSON.stringify({ chains: [configured], queue: "postgres" }));
  const encryptionKey = randomBytes(32);
  const environment = {
    CHAINBELL_CONFIG: config,
    CHAINBELL_ENCRYPTION_KEY: encryptionKey.toString("base64"),
  };
  const ledger = await open(environment, url);
  const { id: businessId } = await createBusiness(ledger.db, { name: "bench", isVerified: true });
  const secretCiphertext = encryptSecret(encryptionKey, newWebhookSecret());
  await ledger.db.webhook.create({
    data: { id: randomUUID(), businessId, url: "https://example.com/", secretCiphertext },
  });
  const wallets = watchedAddresses.map((address) => ({
    ...{ chainName: "anvil", address, purpose: "deposit" },
    ...{ label: null, reference: null, fromBlock: null },
  }));
  await addWallets(ledger.db, { businessId, wallets });
  await ledger.close();
  return { name, environment };
}

async function open(environment, databaseUrl) {
  const config = await loadConfig({ ...environment, DATABASE_URL: databaseUrl }, "/");
  return openLedger(config, silent, { needs: "database", patience: null });
}

/** From an empty ledger to the last block in it, confirmed; in seconds. */
export async function backfill(cluster, chain, template) {
  const name = `caught_up_${randomUUID()}`;
  const url = await cluster.createDatabase(name, template.name);
  const ledger = await open(template.environment, url);
  try {
    await cluster.settle();
    globalThis.gc();
    const startedMs = performance.now();
    await createCatchUpNow(ledger, silent)("anvil", () => {});
    const seconds = (performance.now() - startedMs) / 1_000;
    await expectWhole(ledger.db, chain);
    return seconds;
  } finally {
    await ledger.close();
    await cluster.drop(name);
  }
}

async function expectWhole(db, { watched }) {
  const counts = await Promise.all([
    db.transaction.count({ where: { status: "completed" } }),
    db.ledgerEntry.count(),
    db.delivery.count(),
  ]);
  if (counts.some((count) => count !== watched))
    throw new Error(`${counts.join(", ")} rows where ${watched} were due`);
}
