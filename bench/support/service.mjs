// A whole service on one machine: chain, PostgreSQL, Redis and a business's receiver, each a process of its own, and the
// daemons that serve them. Everything ends with `end`.
import { randomBytes } from "node:crypto";
import { demoTokenAddress } from "../../dist/development/chain/demo-token.js";
import { startAnvil } from "./anvil-chain.mjs";
import { startDaemon, startModule } from "./child.mjs";
import { openCluster } from "./cluster.mjs";
import { addCustomer } from "./customer.mjs";
import { startRedis } from "./redis-server.mjs";

const adminToken = "bench-administrator-of-this-run-alone";

/**
 * @param options.blockTimeS of the chain; null: it mines when it is told to
 * @param options.deploy puts on the chain what the benchmark needs, before anything else is started
 * @param options.receiver a module of this folder, and by `argsOf` what it is given
 */
export async function openService({ blockTimeS, deploy, receiver: { module, argsOf } }) {
  const ends = [];
  const end = async () => {
    for (const one of ends.splice(0).reverse()) await one();
  };
  const ending = async (starting, stopOf) => {
    const started = await starting;
    ends.push(stopOf(started));
    return started;
  };
  try {
    const cluster = await ending(openCluster(), (one) => one.end);
    const redis = await ending(startRedis(), (one) => one.stop);
    const anvil = await ending(startAnvil({ blockTimeS }), (one) => one.stop);
    await deploy(anvil);
    const receiver = await ending(startModule(module, argsOf(anvil)), (one) => one.stop);
    return { cluster, redis, anvil, receiver, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * A daemon with a database of its own and a customer whose wallets are watched on the chain `local`. `stop` it.
 * @param options.chain what the configuration says of the chain beside its name and assets
 */
export async function serve(
  { cluster, redis, receiver },
  { name, chain, webhooks, queue, wallets },
) {
  const token = { code: "DUSD", address: demoTokenAddress(), decimals: 6 };
  const allow = [{ cidr: "127.0.0.0/8", ports: [receiver.said.port], http: true }];
  const local = { name: "local", native_asset: { code: "ETH" }, assets: [token], ...chain };
  const databaseUrl = await cluster.createDatabase(name);
  const daemon = await startDaemon({
    ...{ dir: cluster.dataDir, name },
    file: { chains: [local], webhooks: { allow, ...webhooks }, queue },
    given: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      CHAINBELL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      CHAINBELL_ADMIN_TOKENS: `bench:${adminToken}`,
    },
  });
  await addCustomer({ daemon, adminToken, wallets, port: receiver.said.port });
  return { ...daemon, databaseUrl };
}
