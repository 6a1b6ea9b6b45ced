import { createAgreementGate } from "../../../src/chain/agreement/gate.ts";
import { createHolds } from "../../../src/chain/agreement/holds.ts";
import { createChainSource } from "../../../src/chain/chain-source.ts";
import { parseAddress } from "../../../src/domain/chain/address.ts";
import {
  nothingUnread,
  type ReceiptsProof,
  type TracingChoice,
  type UnreadablePolicy,
} from "../../../src/domain/chain/block-proof.ts";
import type { Reading } from "../../../src/domain/chain/chain-rules.ts";
import {
  type ConfirmationPolicy,
  type ConfirmationTag,
  usualWitness,
  type WitnessPolicy,
} from "../../../src/domain/chain/confirmation.ts";
import type { Providers } from "../../../src/domain/chain/endpoint-host.ts";
import { expectedProof } from "../../../src/domain/chain/expected-proof.ts";
import type { NativeAlias } from "../../../src/domain/chain/profile.ts";
import type { KnownGenesis } from "../../../src/domain/chain/profiles/known-genesis.ts";
import { profileOf } from "../../../src/domain/chain/profiles/known-profiles.ts";
import { idAt } from "../../../src/domain/id.ts";
import type { AssetKind } from "../../../src/domain/money/asset.ts";
import type { BalanceKey } from "../../../src/domain/money/balance.ts";
import type { ChangeCursor } from "../../../src/domain/money/balance-change.ts";
import { nativeAddress } from "../../../src/domain/money/movement.ts";
import { noSpans } from "../../../src/domain/spans.ts";
import type { HistoryCursor } from "../../../src/domain/watch/history.ts";
import { createTracingHosts } from "../../../src/ledger/chain/tracing-hosts.ts";
import { createOldBlockLedger } from "../../../src/ledger/watching.ts";
import { type Clock, systemClock } from "../../../src/runtime/clock.ts";
import type { Logger } from "../../../src/runtime/logger.ts";
import { createOldBlocks } from "../../../src/watcher/gate/old-blocks.ts";
import { createRounds } from "../../../src/watcher/gate/rounds.ts";
import type { BlockStepOptions } from "../../../src/watcher/head/act.ts";
import { createBlockStep } from "../../../src/watcher/head/block-step.ts";
import { readOpenings } from "../../../src/watcher/head/read-openings.ts";
import { recheckBalances } from "../../../src/watcher/head/recheck-balances.ts";
import { createWatcher } from "../../../src/watcher/head/watcher.ts";
import { quiet } from "../quiet.ts";
import type { Database } from "./database.ts";
import { addWallets, configureChains } from "./steps.ts";
import { createWatcherLedger } from "./watcher-ledger.ts";

export type WatchedChain = Awaited<ReturnType<typeof watchInLedger>>;

export type OpenLedger = { db: Database; url: string; close: () => Promise<void> };

export type WatchOptions = Parameters<typeof watchInLedger>[1];

/**
 * One chain watched by hand, by a name in a ledger that is there: real endpoints, and the watcher's
 * own steps, which run only when asked for. `stop` leaves the ledger open.
 */
export async function watchInLedger(
  within: { ledger: OpenLedger; chainName: string },
  options: {
    rpcUrl: string;
    /** Several endpoints instead of that one. */
    rpcUrls?: string[];
    providers?: Providers;
    depth: number;
    /** Instead of the depth. */
    tag?: ConfirmationTag;
    /** Instead of the depth: a length of time, in ms. */
    ageMs?: number;
    startBlock?: bigint;
    genesis?: KnownGenesis;
    chainId?: number;
    tokens?: { code: string; address: string; decimals: number; kind?: AssetKind }[];
    tracing?: TracingChoice;
    balanceCheck?: boolean;
    reading?: Reading;
    receipts?: ReceiptsProof;
    unreadable?: UnreadablePolicy;
    nativeAliases?: NativeAlias[];
    timeoutMs?: number;
    log?: Logger;
    clock?: Clock;
    witness?: Partial<WitnessPolicy>;
    /** How far behind ranges begin; what is usual when left out. */
    farBlocks?: bigint;
  },
) {
  const { chainName } = within;
  const { db, url: databaseUrl } = within.ledger;
  const chainId = options.chainId ?? 31_337;
  const native = { code: "ETH", address: nativeAddress, decimals: 18, kind: "exact" } as const;
  const tokens = (options.tokens ?? []).map((token) => ({
    ...token,
    address: parseAddress(token.address),
    kind: token.kind ?? "exact",
  }));
  await configureChains(db, [{ name: chainName, chainId, assets: [native, ...tokens] }], "removed");
  const businessId = await createBusiness(db);
  const profile = profileOf(chainId);
  const witness = { ...usualWitness, ...options.witness };
  const holds = createHolds(
    { clock: options.clock ?? systemClock, log: options.log ?? quiet },
    { chainName, witness },
  );
  const chain = createChainSource(
    {
      holds,
      clock: options.clock ?? systemClock,
      log: options.log ?? quiet,
      tracingHosts: createTracingHosts(db, chainName),
    },
    {
      chainId,
      urls: options.rpcUrls ?? [options.rpcUrl],
      ...(options.providers === undefined ? {} : { providers: options.providers }),
      timeoutMs: options.timeoutMs ?? 10_000,
      tracing: options.tracing ?? "auto",
      balanceCheck: options.balanceCheck ?? true,
      reading: options.reading ?? "full",
      proof: expectedProof(profile, options.receipts ?? null),
      unreadable: options.unreadable ?? nothingUnread,
      witness,
      nativeAliases: options.nativeAliases ?? profile.nativeAliases,
      profile,
    },
  );
  const ledger = createWatcherLedger(db);
  const gate = createAgreementGate({ chain, holds }, witness.count);
  const rounds = {
    openings: createRounds<BalanceKey>(gate),
    unproven: createRounds<ChangeCursor>(gate),
    histories: createRounds<HistoryCursor>(gate),
  };
  const oldBlocks = createOldBlocks(
    { chain, gate, ledger: createOldBlockLedger(db), log: options.log ?? quiet },
    chainName,
  );
  const stepOptions: BlockStepOptions = {
    chainName,
    chainId,
    startBlock: options.startBlock ?? null,
    genesis: options.genesis ?? null,
    policy: policyOf(options),
    ...(options.farBlocks === undefined ? {} : { farBlocks: options.farBlocks }),
  };
  const { log = quiet, clock = systemClock } = options;
  const ports = { chain, gate, ledger, log, clock, spans: noSpans };
  const newStep = () =>
    createBlockStep({ ...ports, onCommitted() {}, onLooked() {}, onProgress() {} }, stepOptions);
  let step = newStep();
  /** What the watcher does beside blocks, in its order: what waits for its proof, and openings. */
  const balancesStep = async () => {
    const recheck = { chain, rounds: rounds.unproven, ledger, log, clock, spans: noSpans };
    while ((await recheckBalances(recheck, chainName)).accepted > 0);
    const open = () =>
      readOpenings({ chain, rounds: rounds.openings, ledger, giveWay: async () => {} }, chainName);
    for (let one = await open(); one.recorded > 0 || one.made !== null; ) one = await open();
  };
  return {
    db,
    databaseUrl,
    chain,
    gate,
    rounds,
    oldBlocks,
    chainName,
    businessId,
    ledger,
    newStep,
    /** The daemon's watcher, which asks `take` for its lease. */
    newWatcher: (take: () => Promise<boolean>, others: Partial<typeof ledger> = {}) =>
      createWatcher(
        {
          ...ports,
          ledger: { ...ledger, ...others },
          lease: { take, keep: take, release: async () => {} },
          onNotified() {},
          onWaiting() {},
        },
        { ...stepOptions, pollMs: 100 },
      ),
    /** Another business beside the first. */
    addBusiness: () => createBusiness(db),
    async addWallet(
      address: string,
      purpose: "deposit" | "payment" = "deposit",
      owner: string = businessId,
      fromBlock: bigint | null = null,
    ): Promise<string> {
      const wallet = {
        chainName,
        address: parseAddress(address),
        purpose,
        label: null,
        reference: null,
        fromBlock,
      };
      const [added] = await addWallets(db, { businessId: owner, wallets: [wallet] });
      if (added === undefined) throw new Error("no wallet was added");
      return added.id;
    },
    /** What the ledger says a wallet holds, by asset code, in atomic units. */
    async balances(walletId: string): Promise<Record<string, bigint>> {
      const rows = await db.balance.findMany({ where: { walletId }, include: { asset: true } });
      return Object.fromEntries(
        rows.map((row) => [row.asset.code, BigInt(row.confirmed.toFixed())]),
      );
    },
    /** A wallet's transactions in the order of history. */
    async history(walletId: string) {
      const rows = await db.transaction.findMany({
        where: { walletId },
        include: { asset: true },
        orderBy: { id: "asc" },
      });
      return rows.map((row) => ({
        type: row.type,
        asset: row.asset.code,
        amountAtomic: BigInt(row.amount.toFixed()),
        status: row.status,
        tracePath: row.tracePath,
        from: row.fromAddress,
        to: row.toAddress,
      }));
    },
    /** As a process that starts anew: nothing is remembered but what the ledger holds. */
    restart() {
      step = newStep();
    },
    /** Steps until there is nothing to do, openings included. */
    async catchUp() {
      while ((await step.run()) === "again");
      await balancesStep();
    },
    balancesStep,
    async stop() {
      chain.close();
    },
  };
}

function policyOf(options: {
  depth: number;
  tag?: ConfirmationTag;
  ageMs?: number;
}): ConfirmationPolicy {
  if (options.tag !== undefined) return { kind: "tag", tag: options.tag };
  if (options.ageMs !== undefined) return { kind: "age", ageMs: options.ageMs };
  return { kind: "depth", depth: options.depth };
}

async function createBusiness(db: Database): Promise<string> {
  const id = idAt(Date.now());
  await db.business.create({ data: { id, name: "Acme", verifiedAt: new Date() } });
  return id;
}
