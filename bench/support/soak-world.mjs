// A whole service for a soak: chain, PostgreSQL, Redis, the daemon and a business's receiver, each a process of its own.
import { randomBytes } from "node:crypto";
import { demoTokenAddress, deployDemoToken } from "../../dist/development/demo-token.js";
import { startAnvil } from "./anvil-chain.mjs";
import { startDaemon, startModule } from "./child.mjs";
import { openCluster } from "./cluster.mjs";
import { addCustomer } from "./customer.mjs";
import { startRedis } from "./redis-server.mjs";

const adminToken = "soak-administrator-of-this-run-alone";

export async function openSoakWorld({ wallets }) {
  const ends = [];
  const end = async () => {
    for (const one of ends.splice(0).reverse()) await one();
  };
  try {
    const cluster = await openCluster();
    ends.push(cluster.end);
    const redis = await startRedis();
    ends.push(redis.stop);
    // It keeps its old states on disk: a daemon that has fallen behind on a busy machine can still be told of them.
    const anvil = await startAnvil({ blockTimeS: 1 });
    ends.push(anvil.stop);
    await deployDemoToken({ rpcUrl: anvil.rpcUrl });
    const receiver = await startModule("arrivals.mjs", []);
    ends.push(receiver.stop);
    const databaseUrl = await cluster.createDatabase("soaked");
    const daemon = await startDaemon(
      settingsOf({ dir: cluster.dataDir, databaseUrl, redis, anvil, receiver }),
    );
    ends.push(daemon.stop);
    await addCustomer({ daemon, adminToken, wallets, port: receiver.said.port });
    return { anvil, receiver, daemon, databaseUrl, end };
  } catch (error) {
    await end();
    throw error;
  }
}

function settingsOf({ dir, databaseUrl, redis, anvil, receiver }) {
  const token = { code: "DUSD", address: demoTokenAddress(), decimals: 6 };
  // Of anvil's two ways to tell traces, the other one runs a block again for each of its transactions.
  const tracing = "parity";
  const chain = { name: "local", chain_id: 31_337, rpc: [anvil.rpcUrl], confirmations: 2, tracing };
  const allow = [{ cidr: "127.0.0.0/8", ports: [receiver.said.port], http: true }];
  return {
    ...{ dir, name: "soaked" },
    file: {
      chains: [{ ...chain, native_asset: { code: "ETH" }, assets: [token] }],
      webhooks: { allow },
    },
    given: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      CHAINBELL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      CHAINBELL_ADMIN_TOKENS: `soak:${adminToken}`,
    },
  };
}
