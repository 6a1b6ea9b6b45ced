// What the benchmark of the API asks: a ledger of some size, the daemon and the bare server over it, and the paths.
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openLedger } from "../../dist/app/open-ledger.js";
import { loadConfig } from "../../dist/config/load-config.js";
import { notifiedTypes } from "../../dist/domain/money/transaction.js";
import { encodeCursor } from "../../dist/domain/page.js";
import { holdingsSql } from "../../dist/ledger/balances/read-balance.js";
import {
  assetIdsSql,
  transactionPageSql,
} from "../../dist/ledger/transactions/read-transactions.js";
import { fillHistory } from "./bulk-history.mjs";
import { startDaemon, startModule } from "./child.mjs";
import { silent } from "./silent.mjs";

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
  const named = requests.flatMap(({ name, variants }) =>
    variants.map(({ statements }, index) => ({ statements, bare: `/${name}/${index}` })),
  );
  const statements = Object.fromEntries(named.map((one) => [one.bare, one.statements]));
  try {
    const args = [databaseUrl, poolSize, JSON.stringify(statements)];
    const bare = await startModule("bare-api.mjs", args);
    return {
      names: requests.map(({ name, title }) => ({ name, title })),
      /** What the load maker is told to ask of the daemon, and of the bare server. */
      ours: (name) => ({
        url: daemon.url,
        paths: requests.find((one) => one.name === name).variants.map(({ path }) => path),
        headers: { "x-api-key": key },
      }),
      bare: (name) => ({
        url: bare.said.url,
        paths: named.map((one) => one.bare).filter((path) => path.startsWith(`/${name}/`)),
        headers: {},
      }),
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

/**
 * What is asked: each request by its paths of the daemon, and for each of those the statements that answer it of the
 * bare server. Of deep pages it is fifty in turn: nobody asks for the same one again.
 */
async function requestsOf(db, { businessId, limit }) {
  const page = (filter, afterId, assetIds = null) => {
    const asked = { businessId, filter: { types: notifiedTypes, ...filter } };
    return statementOf(transactionPageSql({ ...asked, page: { limit, afterId } }, assetIds));
  };
  const ofUsdc = statementOf(assetIdsSql({ types: notifiedTypes, assetCode: "USDC" }));
  const assets = await db.asset.findMany({ where: { code: "USDC" }, orderBy: { id: "asc" } });
  const assetIds = assets.map(({ id }) => id);
  const usdc = page({ status: "completed" }, null, assetIds);
  const before = await idsBeforePages(db, { businessId, limit, first: 1_000, count: 50 });
  const list = `/transactions?limit=${limit}`;
  const requestOf = (name, title, variants) => ({ name, title, variants });
  return [
    requestOf("balance", "GET /balance", [
      { path: "/balance", statements: [statementOf(holdingsSql(businessId))] },
    ]),
    requestOf("first", "GET /transactions, first page", [
      { path: list, statements: [page({}, null)] },
    ]),
    requestOf(
      "deep",
      "GET /transactions, 1,000th page",
      before.map((id) => ({
        path: `${list}&cursor=${encodeCursor(id)}`,
        statements: [page({}, id)],
      })),
    ),
    requestOf("filtered", "GET /transactions, filtered", [
      { path: `${list}&asset=USDC&status=completed`, statements: [ofUsdc, usdc] },
    ]),
  ];
}

function statementOf({ text, values }) {
  return { text, values };
}

/** The last id of the page before each: where following the cursors from the first page arrives. */
async function idsBeforePages(db, { businessId, limit, first, count }) {
  const where = { businessId, type: { in: [...notifiedTypes] } };
  const skip = (first - 1) * limit - 1;
  const take = (count - 1) * limit + 1;
  const rows = await db.transaction.findMany({
    ...{ where, orderBy: { id: "desc" }, skip, take, select: { id: true } },
  });
  const ids = rows.filter((_, index) => index % limit === 0).map(({ id }) => id);
  if (ids.length < count) throw new Error(`there is no page ${first + count - 1}`);
  return ids;
}
