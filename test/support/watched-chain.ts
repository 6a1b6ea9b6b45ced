import { createChainSource } from "../../src/chain/chain-source.ts";
import { parseAddress } from "../../src/domain/address.ts";
import { idAt } from "../../src/domain/id.ts";
import { nativeAddress } from "../../src/domain/movement.ts";
import { addWallets } from "../../src/ledger/add-wallets.ts";
import { configureChains } from "../../src/ledger/configure-chains.ts";
import { type Database, openDatabase } from "../../src/ledger/database.ts";
import { createWatching } from "../../src/ledger/watching.ts";
import { type BlockStepOptions, createBlockStep } from "../../src/watcher/block-step.ts";
import { readOpenings } from "../../src/watcher/read-openings.ts";
import { createTestDatabase } from "./postgres.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export type WatchedChain = Awaited<ReturnType<typeof watchChain>>;

/**
 * One chain watched by hand: a fresh ledger, a real endpoint, and the watcher's own steps, which run only when asked
 * for. `stop` drops the database.
 */
export async function watchChain(options: {
  rpcUrl: string;
  depth: number;
  startBlock?: bigint;
  tokens?: { code: string; address: string; decimals: number }[];
}) {
  const database = await createTestDatabase();
  const db = openDatabase({ databaseUrl: database.url, poolSize: 4 });
  const chainName = "anvil";
  const native = { code: "ETH", address: nativeAddress, decimals: 18, kind: "exact" } as const;
  const tokens = (options.tokens ?? []).map((token) => ({
    ...token,
    address: parseAddress(token.address),
    kind: "exact" as const,
  }));
  await configureChains(db, [{ name: chainName, chainId: 31_337, assets: [native, ...tokens] }]);
  const businessId = await createBusiness(db);
  const chain = createChainSource({ urls: [options.rpcUrl], timeoutMs: 10_000 });
  const ledger = createWatching(db);
  const stepOptions: BlockStepOptions = {
    chainName,
    chainId: 31_337,
    startBlock: options.startBlock ?? null,
    policy: { kind: "depth", depth: options.depth },
  };
  const newStep = () =>
    createBlockStep({ chain, ledger, log: quiet, onCommitted() {} }, stepOptions);
  let step = newStep();
  return {
    db,
    databaseUrl: database.url,
    chain,
    chainName,
    businessId,
    ledger,
    newStep,
    async addWallet(address: string, purpose: "deposit" | "payment" = "deposit"): Promise<string> {
      const wallet = {
        chainName,
        address: parseAddress(address),
        purpose,
        label: null,
        reference: null,
      };
      const [added] = await addWallets(db, { businessId, wallets: [wallet] });
      if (added === undefined) throw new Error("no wallet was added");
      return added.id;
    },
    /** As a process that starts anew: nothing is remembered but what the ledger holds. */
    restart() {
      step = newStep();
    },
    /** Steps until there is nothing to do, openings included. */
    async catchUp() {
      while ((await step.run()) === "again");
      while ((await readOpenings({ chain, ledger }, chainName)).recorded > 0);
    },
    async stop() {
      await db.$disconnect();
      await database.drop();
    },
  };
}

async function createBusiness(db: Database): Promise<string> {
  const id = idAt(Date.now());
  await db.business.create({ data: { id, name: "Acme", verifiedAt: new Date() } });
  return id;
}
