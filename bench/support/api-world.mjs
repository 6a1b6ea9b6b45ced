// What the benchmark of the API asks: a ledger of some size, the daemon and the bare server over it, and the paths.
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadConfig } from "../../dist/config.js";
import { encodeCursor } from "../../dist/domain/page.js";
import { ringingTypes } from "../../dist/domain/transaction.js";
import { holdingsSql } from "../../dist/ledger/read-balance.js";
import { transactionPageSql } from "../../dist/ledger/read-transactions.js";
import { openLedger } from "../../dist/open-ledger.js";
import { fillHistory } from "./bulk-history.mjs";
import { startDaemon, startModule } from "./child.mjs";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** As many as the daemon has. */
const poolSize = 20;

const chainOf = (name, chain_id, usdcAddress) => ({
  ...{ name, chain_id, rpc: ["http://127.0.0.1:1"] },
  native_asset: { code: "ETH", price: { usd: "2500.125" } },
  assets: [{ code: "USDC", address: usdcAddress, decimals: 6, price: { stable: true } }],
});

/** Nobody is refused: what a limit costs is paid, what it takes away is not measured. */
const file = {
  chains: [
    chainOf("ethereum", 1, "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"),
    chainOf("base", 8453, "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
  ],
  rate_limit: { per_second: 100_000, burst: 1_000_000 },
};

/**
 * A ledger of `count` transactions in a database of its own, and what asks it. `limit` is the rows of a page; `nodeArgs`
 * go to the daemon's Node, for a profile.
 */
export async function openApiWorld({ cluster, count, limit, say, nodeArgs = [] }) {
  const databaseUrl = await cluster.createDatabase(`rows_${count}`);
  const given = {
    DATABASE_URL: databaseUrl,
    CHAINBELL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    CHAINBELL_ROLES: "api",
  };
  const name = `api-${count}`;
  const path = join(cluster.dataDir, `${name}.yaml`);
  await writeFile(path, JSON.stringify({ ...file, queue: "postgres" }));
  const environment = { ...given, NODE_ENV: "production", CHAINBELL_CONFIG: path };
  const ledger = await openLedger(await loadConfig(environment, cluster.dataDir), silent, {
    needs: "database",
    patience: null,
  });
  try {
    const { businessId, key } = await fillHistory({ db: ledger.db, databaseUrl, count, say });
    const requests = await requestsOf(ledger.db, { businessId, limit });
    const daemon = await startDaemon({
      ...{ dir: cluster.dataDir, name, given, nodeArgs },
      file: { ...file, queue: "postgres" },
    });
    return await withBareServer({ databaseUrl, key, requests, daemon });
  } finally {
    await ledger.close();
  }
}

async function withBareServer({ databaseUrl, key, requests, daemon }) {
  const statements = Object.fromEntries(requests.map((one) => [`/${one.name}`, one.statements]));
  try {
    const args = [databaseUrl, poolSize, JSON.stringify(statements)];
    const bare = await startModule("bare-api.mjs", args);
    return {
      names: requests.map(({ name, title }) => ({ name, title })),
      /** What the load maker is told to ask of the daemon, and of the bare server. */
      ours: (name) => ({
        url: daemon.url,
        path: requests.find((one) => one.name === name).path,
        headers: { "x-api-key": key },
      }),
      bare: (name) => ({ url: bare.said.url, path: `/${name}`, headers: {} }),
      async end() {
        await daemon.stop();
        await bare.stop();
      },
    };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

/** What is asked: by its path of the daemon, and as the statements that answer it of the bare server. */
async function requestsOf(db, { businessId, limit }) {
  const page = (filter, afterId, assetIds = null) => {
    const asked = { businessId, filter: { types: ringingTypes, ...filter } };
    const sql = transactionPageSql({ ...asked, page: { limit, afterId } }, assetIds);
    return { text: sql.text, values: sql.values };
  };
  const holdings = holdingsSql(businessId);
  const afterId = await idBeforePage(db, { businessId, limit, number: 1_000 });
  const ofUsdc = { text: "SELECT id FROM asset WHERE code = $1 ORDER BY id", values: ["USDC"] };
  const assets = await db.asset.findMany({ where: { code: "USDC" }, orderBy: { id: "asc" } });
  const usdc = page(
    { status: "completed" },
    null,
    assets.map(({ id }) => id),
  );
  const list = `/transactions?limit=${limit}`;
  return [
    {
      ...{ name: "balance", title: "GET /balance", path: "/balance" },
      statements: [{ text: holdings.text, values: holdings.values }],
    },
    {
      ...{ name: "first", title: "GET /transactions, first page", path: list },
      statements: [page({}, null)],
    },
    {
      ...{ name: "deep", title: "GET /transactions, 1,000th page" },
      path: `${list}&cursor=${encodeCursor(afterId)}`,
      statements: [page({}, afterId)],
    },
    {
      ...{ name: "filtered", title: "GET /transactions, filtered" },
      path: `${list}&asset=USDC&status=completed`,
      statements: [ofUsdc, usdc],
    },
  ];
}

/** The last id of the page before: where following the cursors from the first page arrives. */
async function idBeforePage(db, { businessId, limit, number }) {
  const where = { businessId, type: { in: [...ringingTypes] } };
  const skip = (number - 1) * limit - 1;
  const row = await db.transaction.findFirst({
    where,
    orderBy: { id: "desc" },
    skip,
    select: { id: true },
  });
  if (row === null) throw new Error(`there is no page ${number}`);
  return row.id;
}
