// Counts what each endpoint is asked for one block, by kinds of block and by how many hosts a chain
// has.
// Usage: node scripts/run.mjs requests-per-block

import { ANVIL_ACCOUNTS, startAnvil } from "../test/support/chain/anvil.ts";
import { deploy } from "../test/support/chain/money-contracts.ts";
import { type RpcProxy, startRpcProxy } from "../test/support/chain/rpc-proxy.ts";
import { openDatabase } from "../test/support/ledger/database.ts";
import { copyTestDatabase } from "../test/support/ledger/databases.ts";
import { startTestCluster } from "../test/support/ledger/test-cluster.ts";
import { watchInLedger } from "../test/support/ledger/watch-in-ledger.ts";

const [payer] = ANVIL_ACCOUNTS;
const wallet = "0x00000000000000000000000000000000000a11ce";
const stranger = "0x00000000000000000000000000000000000dead1";

const cluster = await startTestCluster();
const anvil = await startAnvil({});
const proxies = [await startRpcProxy(anvil.rpcUrl), await startRpcProxy(anvil.rpcUrl)];
const database = await copyTestDatabase(cluster.adminUrl);
const db = openDatabase({ databaseUrl: database.url, poolSize: 8 });
const ledger = { db, url: database.url, close: async () => {} };
const token = await deploy(anvil, "Token", { args: [6] });
const disperse = await deploy(anvil, "Disperse");
await token.call(payer, "mint", [payer, 10n ** 18n]);

/** What happens in the block that is counted. */
const kinds: Record<string, () => Promise<unknown>> = {
  empty: () => anvil.mine(1),
  "nothing of ours": () => anvil.sendNative({ from: payer, to: stranger, amountAtomic: 5n }),
  "a token deposit": () => token.call(payer, "transfer", [wallet, 5n]),
  "a coin deposit": () => anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n }),
  "an internal transfer": () => disperse.call(payer, "disperse", [[wallet], [5n]], 5n),
};

function countOf(used: readonly RpcProxy[]): string[] {
  return used.map(({ calls }) => {
    const methods = new Map<string, number>();
    for (const method of calls.splice(0)) methods.set(method, (methods.get(method) ?? 0) + 1);
    const total = [...methods.values()].reduce((sum, count) => sum + count, 0);
    const words = [...methods].map(([method, count]) => `${method} ${count}`).sort();
    return `${total} (${words.join(", ")})`;
  });
}

try {
  for (const hosts of [1, 2]) {
    const used = proxies.slice(0, hosts);
    const [first] = used;
    if (first === undefined) throw new Error("There is no endpoint.");
    const tokens = [{ code: "TOK", address: token.address.toLowerCase(), decimals: 6 }];
    const watched = await watchInLedger(
      { ledger, chainName: `hosts-${hosts}` },
      { rpcUrl: first.url, rpcUrls: used.map(({ url }) => url), depth: 1, tokens },
    );
    await watched.catchUp();
    await watched.addWallet(wallet);
    await anvil.mine(2);
    await watched.catchUp();
    for (const happen of Object.values(kinds)) {
      await happen();
      await watched.catchUp();
    }
    // The head is asked for in every round, whether there is a block or not.
    countOf(used);
    await watched.catchUp();
    process.stdout.write(`${hosts} hosts, no block: ${countOf(used).join("; ")}\n`);
    for (const [name, happen] of Object.entries(kinds)) {
      await happen();
      await watched.catchUp();
      process.stdout.write(`${hosts} hosts, ${name}: ${countOf(used).join("; ")}\n`);
    }
    await watched.stop();
  }
} finally {
  await db.$disconnect();
  await database.drop();
  await Promise.all([anvil.stop(), ...proxies.map((proxy) => proxy.stop())]);
  await cluster.end();
}
