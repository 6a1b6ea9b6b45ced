import { createChainSource } from "../../src/chain/chain-source.ts";
import { parseAddress } from "../../src/domain/address.ts";
import { idAt } from "../../src/domain/id.ts";
import { nativeAddress } from "../../src/domain/movement.ts";
import { addWallets } from "../../src/ledger/add-wallets.ts";
import * as chainState from "../../src/ledger/chain-state.ts";
import { commitBlock } from "../../src/ledger/commit-block.ts";
import { configureChains } from "../../src/ledger/configure-chains.ts";
import { type Database, openDatabase } from "../../src/ledger/database.ts";
import { readDueOpenings, recordOpenings } from "../../src/ledger/openings.ts";
import { readWatchlist } from "../../src/ledger/read-watchlist.ts";
import { undoBlocks } from "../../src/ledger/undo-blocks.ts";
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
  const ledger = ledgerOf(db);
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

export function ledgerOf(db: Database) {
  return {
    readChainState: (name: string) => chainState.readChainState(db, name),
    readPosition: (name: string) => chainState.readPosition(db, name),
    readHash: (name: string, number: bigint) => chainState.readHash(db, name, number),
    readWindow: (name: string) => chainState.readWindow(db, name),
    readWatchlist: (name: string) => readWatchlist(db, name),
    startChain: (start: Parameters<typeof chainState.startChain>[1]) =>
      chainState.startChain(db, start),
    markStopped: (name: string, why: Parameters<typeof chainState.markStopped>[2]) =>
      chainState.markStopped(db, name, why),
    commitBlock: (commit: Parameters<typeof commitBlock>[1]) => commitBlock(db, commit),
    undoBlocks: (undo: Parameters<typeof undoBlocks>[1]) => undoBlocks(db, undo),
    readDueOpenings: (name: string, limit: number) => readDueOpenings(db, name, limit),
    recordOpenings: (name: string, openings: Parameters<typeof recordOpenings>[2]) =>
      recordOpenings(db, name, openings),
  };
}

async function createBusiness(db: Database): Promise<string> {
  const id = idAt(Date.now());
  await db.business.create({ data: { id, name: "Acme", verifiedAt: new Date() } });
  return id;
}
