import { startAnvil } from "../../test/support/chain/anvil.ts";
import { deployToken } from "../../test/support/chain/token.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import {
  type DaemonSettings,
  type Deployment,
  deploymentOf,
} from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import type { Build } from "../process/build.ts";
import type { Programs } from "../process/protocol.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { type Program, startProgram } from "../process/start-program.ts";
import type { Queue } from "./delivery/open-delivery.ts";
import { randomAddress } from "./random-address.ts";
import { openServers, type Servers } from "./servers.ts";

/** A receiver that listens at one port. */
type ReceiverName = "head-receiver" | "recording-receiver" | "stamping-receiver";

type Chain = DaemonSettings["chains"][number];

export type ServeOptions = {
  build: Build;
  /** Of the database. */
  name: string;
  queue: Queue;
  /** What the configuration says of it beside its name and assets. */
  chain: Pick<Chain, "rpcUrl" | "confirmations" | "tracing" | "reading" | "pollMs">;
  webhooks: object;
  /** The URL by which the daemon reaches the database once it is set up; left out: its own. */
  reach?: (databaseUrl: string) => Promise<string>;
};

export type Payments<Name extends ReceiverName> = Awaited<ReturnType<typeof openPayments<Name>>>;

/**
 * What a payment takes on one machine: a chain that mines when it is asked to, with a token;
 * PostgreSQL, Redis, twenty wallets, and a receiver in a process of its own. Whoever opens it ends
 * it.
 */
export async function openPayments<Name extends ReceiverName>(
  receiverName: Name,
  givenOf: (chain: { anvil: { wsUrl: string } }) => Programs[Name]["given"],
) {
  const { open, end } = createResources();
  try {
    const servers = await open(openServers(), (one) => one.end());
    const anvil = await open(startAnvil({}), (one) => one.stop());
    const token = await deployToken(anvil);
    await anvil.setAutomine(false);
    const starting = startProgram(receiverName, givenOf({ anvil }));
    const receiver = await open<Program<Name>>(starting, (one) => one.stop());
    const wallets = Array.from({ length: 20 }, randomAddress);
    const nonces = { minter: await nonceOf(anvil, token.minter) };
    return {
      cluster: servers.cluster,
      anvil,
      token,
      receiver,
      wallets,
      end,
      /**
       * A call that mints, to the wallets in turn or to another address, one unit more each time.
       * Its nonce is named: many are sent at once.
       */
      nextMint(toOther?: string) {
        const nonce = nonces.minter;
        nonces.minter += 1;
        const amountAtomic = BigInt(nonce);
        const to = toOther ?? wallets[nonce % wallets.length] ?? "";
        const data = token.mintData(to, amountAtomic);
        const transaction = { from: token.minter, to: token.address, data, gas: "0x30d40" };
        const params = [{ ...transaction, nonce: `0x${nonce.toString(16)}` }];
        return { call: { method: "eth_sendTransaction", params }, amountAtomic };
      },
      /**
       * A daemon with a database of its own and a customer of all the wallets. Whoever starts it
       * stops it.
       */
      serve: (options: ServeOptions) =>
        serve({ servers, token: token.asset, port: receiver.ready.port, wallets }, options),
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function nonceOf(
  anvil: { rpc: <T>(...call: [string, ...unknown[]]) => Promise<T> },
  address: string,
) {
  return Number(await anvil.rpc<string>("eth_getTransactionCount", address, "latest"));
}

async function serve(
  from: {
    servers: Servers;
    token: { code: string; address: string; decimals: number };
    port: number;
    wallets: readonly string[];
  },
  { build, name, queue, chain, webhooks, reach }: ServeOptions,
) {
  const { servers, token, port, wallets } = from;
  const databaseUrl = await servers.cluster.createDatabase(name);
  const local = { name: "local", nativePrice: null, pollMs: null, tokens: [token], ...chain };
  const deployment: Deployment = deploymentOf({
    databaseUrl,
    redisUrl: queue === "redis" ? servers.redis.url : null,
    chains: [local],
    receiverPorts: [port],
    webhooks,
  });
  const daemon = await startDaemon(build, deployment);
  try {
    await createCustomer({
      url: daemon.url,
      admin: daemon.admin,
      blockchain: "local",
      addresses: [...wallets],
      receiver: { url: `http://127.0.0.1:${port}/hook` },
    });
    if (reach === undefined) return { daemon, databaseUrl, deployment };
    // Migrations from far away take minutes.
    await daemon.stop();
    const settings = { ...deployment.settings, databaseUrl: await reach(databaseUrl) };
    const far = { ...deployment, settings };
    return { daemon: await startDaemon(build, far), databaseUrl, deployment: far };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}
