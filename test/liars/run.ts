import { Fault } from "../../src/domain/fault.ts";
import { fillHistory } from "../../src/watcher/history/fill-history.ts";
import { nothingCompared, reconcileStep } from "../../src/watcher/reconcile/reconcile.ts";
import type { Lie, Moment, Teller } from "../support/chain/liar/lie.ts";
import { startLiar } from "../support/chain/liar/start-liar.ts";
import {
  type OpenLedger,
  type WatchOptions,
  watchInLedger,
} from "../support/ledger/watch-in-ledger.ts";
import { quiet } from "../support/quiet.ts";
import { createSkippingClock } from "../support/skipping-clock.ts";
import type { Stage } from "./scene.ts";

/**
 * Where the liar stands: alone, before an honest second endpoint, behind it, or before two that are
 * honest.
 */
export const setups = ["alone", "pair", "rev", "three"] as const;

export type Setup = (typeof setups)[number];

/**
 * What is told to whom. `lie` null: nothing but the truth, as a measure for the others of that
 * reading.
 */
export type Casting = {
  /** Of its chain in the ledger. */
  name: string;
  title: string;
  lie: Lie | null;
  reading: Lie["reading"];
  setup: Setup;
};

export type Run = Awaited<ReturnType<typeof startRun>>;

/**
 * One request: on a busy machine an honest endpoint must not seem to fail. Where one never answers,
 * it costs each step.
 */
const timeoutMs = 10_000;
const silentTimeoutMs = 500;

/**
 * Steps of one act: an endpoint that gives two branches in turn would keep the watcher busy for
 * ever.
 */
const maxSteps = 250;
const rounds = 2;

/**
 * A watcher of its own on the stage's chain, stepped by hand, with its endpoints in the order of
 * the set-up.
 */
export async function startRun(stage: Stage, ledger: OpenLedger, casting: Casting) {
  const { scene, anvil } = stage;
  const { lie, reading, setup, name } = casting;
  const clock = createSkippingClock();
  const liar = await startLiar(anvil.rpcUrl);
  const other = lie?.beside === undefined ? null : await startLiar(anvil.rpcUrl);
  const hasThird = setup === "three" || lie?.hasThird === true;
  const third = hasThird ? await startLiar(anvil.rpcUrl) : null;
  const liarUrl = lie?.isSocket === true ? liar.wsUrl : liar.url;
  const otherUrl = other?.url ?? anvil.rpcUrl;
  const two = setup === "rev" ? [otherUrl, liarUrl] : [liarUrl, otherUrl];
  const known = setup === "alone" ? [liarUrl] : two;
  const urls = third === null ? known : [...known, third.url];
  const open = (rpcUrls: string[]) =>
    watchInLedger({ ledger, chainName: name }, { rpcUrl: liarUrl, rpcUrls, ...options });
  const options: Omit<WatchOptions, "rpcUrl"> = {
    depth: 2,
    clock,
    log: quiet,
    timeoutMs: lie?.isSilent === true ? silentTimeoutMs : timeoutMs,
    tokens: [
      { code: "TOK", address: scene.token, decimals: 6 },
      { code: "TAX", address: scene.taxed, decimals: 18, kind: "fee_on_transfer" },
    ],
    tracing: reading.tracing ?? "auto",
    ...(reading.receipts === undefined ? {} : { receipts: reading.receipts }),
    ...(reading.tag === undefined ? {} : { tag: reading.tag }),
    ...(reading.isByRange === true ? { farBlocks: 0n } : {}),
  };
  let watched = await open(lie?.joins === undefined ? urls : urls.filter((url) => url !== liarUrl));
  let step = watched.newStep();
  let teller: Teller | null = null;
  const stopListening = lie?.isSocket === true ? watched.chain.onAnnounced(() => {}) : () => {};

  async function restart(): Promise<void> {
    await watched.stop();
    watched = await open(urls);
    step = watched.newStep();
  }
  let troubles: string[] = [];

  /**
   * As the daemon's loops: what fails is tried again, and nothing that was said before is relied
   * on.
   */
  async function attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      troubles.push(error instanceof Fault ? `${error.code}: ${words}` : `CRASH: ${words}`);
      return false;
    }
  }

  const blocks = async () => {
    for (let count = 0; count < maxSteps && (await step.run()) === "again"; count += 1);
  };
  const balances = () => watched.balancesStep();
  const history = async () => {
    const { chain, rounds, ledger, oldBlocks } = watched;
    const ports = { chain, rounds: rounds.histories, ledger, oldBlocks, log: quiet };
    for (let count = 0; count < maxSteps; count += 1) {
      const { kind } = await fillHistory(ports, name);
      if (kind === "idle" || kind === "not_shown") return;
    }
  };

  return {
    casting,
    /** The daemon as it is now: a restart makes another one. */
    get watched() {
      return watched;
    },
    clock,
    troubles: () => troubles,
    async begin(moment: Moment): Promise<void> {
      if (lie === null) return;
      const { later } = lie;
      if (lie.from === moment) {
        teller = lie.tell(scene);
        liar.tell(teller, lie.announce?.(scene) ?? null);
        other?.tell(lie.beside?.(scene) ?? null);
      }
      if (later?.from === moment && teller !== null) {
        teller = later.change(teller, scene);
        liar.tell(teller, lie.announce?.(scene) ?? null);
      }
      const isNew = lie.joins === moment || (later?.from === moment && later.restarts === true);
      if (isNew) await restart();
    },
    endLies(): void {
      const [defect] = [...liar.defects, ...(other?.defects ?? [])];
      if (defect !== undefined)
        throw new Error(`the liar of '${casting.title}' failed`, { cause: defect });
      liar.tell(null);
      other?.tell(null);
    },
    async addWallets(): Promise<void> {
      const { wallet, holder, sender, created } = scene;
      for (const address of [wallet, sender, created]) await watched.addWallet(address);
      const from = reading.isLong === true ? 1n : null;
      await watched.addWallet(holder, "deposit", watched.businessId, from);
    },
    /** Follows the chain as far as its endpoints let it. */
    async follow(): Promise<void> {
      troubles = [];
      for (let round = 0; round < rounds; round += 1) {
        await attempt(blocks);
        await attempt(balances);
        if (reading.isLong === true) await attempt(history);
        if (troubles.length === 0) return;
        clock.skip(2_000);
      }
    },
    async reconcile(): Promise<void> {
      const ports = {
        chain: watched.chain,
        ledger: watched.ledger,
        oldBlocks: watched.oldBlocks,
        log: quiet,
      };
      const of = { chainName: name, walletIds: null };
      await attempt(() => reconcileStep(ports, of, nothingCompared));
    },
    async stop(): Promise<void> {
      stopListening();
      await watched.stop();
      await Promise.all([liar, other, third].map((one) => one?.stop()));
    },
  };
}
