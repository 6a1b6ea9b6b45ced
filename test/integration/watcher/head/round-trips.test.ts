import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noSpans } from "../../../../src/domain/spans.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { createBlockStep } from "../../../../src/watcher/head/block-step.ts";
import { type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { countRoundTrips } from "../../../support/chain/round-trips.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { quiet } from "../../../support/quiet.ts";
import { waitFor } from "../../../support/wait-for.ts";

/** More than any batch waits, in ms: each block is written alone. */
const apartMs = 12_000;

let anvil: Anvil;
let watched: WatchedChain;
let stopListening = () => {};

beforeEach(async () => {
  anvil = await startAnvil({});
  await anvil.mine(3);
});

afterEach(async () => {
  stopListening();
  await watched.stop();
  await anvil.stop();
});

/** Watches at the head, where each question to the chain and to the ledger is counted. */
async function watch(rpcUrl: string) {
  watched = await watchChain({ rpcUrl, depth: 1 });
  const { chain, gate, ledger, chainName } = watched;
  const trips = countRoundTrips();
  let elapsedMs = 0;
  const step = createBlockStep(
    {
      chain: trips.counted(chain),
      gate,
      ledger: trips.counted(ledger),
      log: quiet,
      clock: { ...systemClock, elapsed: () => elapsedMs },
      spans: noSpans,
      onCommitted() {},
      onLooked() {},
      onProgress() {},
    },
    {
      chainName,
      chainId: 31_337,
      startBlock: null,
      genesis: null,
      policy: { kind: "depth", depth: 1 },
    },
  );
  stopListening = chain.onAnnounced(() => {});
  return {
    trips,
    /** Steps, as long after the last time as blocks are apart, until there is nothing to do. */
    async settle(): Promise<void> {
      elapsedMs += apartMs;
      while ((await step.run()) === "again");
    },
    async announced(number: bigint): Promise<void> {
      const isThere = () => chain.announcedHead()?.number === number;
      await waitFor(isThere, { what: `block ${number} announced`, timeoutMs: 20_000 });
    },
  };
}

describe("from a new block to its commit", () => {
  it("an announced block takes three questions in sequence, and the ledger is read beside it", async () => {
    const { trips, settle, announced } = await watch(anvil.wsUrl);
    await settle();
    await anvil.mine(1);
    await announced(4n);
    await settle();
    for (const number of [5n, 6n]) {
      await anvil.mine(1);
      await announced(number);
      trips.take();
      await settle();
      const { asked, inSequence } = trips.take();
      expect(asked).toEqual(["readChainState", "loadAnnounced", "seesEveryMove", "commitBlocks"]);
      expect(inSequence).toBe(3);
    }
  });

  it("one that the head has to be asked for takes two more, and two before the chain waits", async () => {
    const { trips, settle } = await watch(anvil.rpcUrl);
    await settle();
    await anvil.mine(1);
    await settle();
    await anvil.mine(1);
    trips.take();
    await settle();
    const { asked, inSequence } = trips.take();
    const committing = ["readChainState", "head", "loadNext", "seesEveryMove", "commitBlocks"];
    expect(asked).toEqual([...committing, "readChainState", "head"]);
    expect(inSequence).toBe(7);
  });

  it("one of several takes three, each read beside the ledger's state", async () => {
    const { trips, settle } = await watch(anvil.rpcUrl);
    await settle();
    await anvil.mine(10);
    trips.take();
    await settle();
    const { asked, inSequence } = trips.take();
    expect(asked.filter((question) => question === "commitBlocks").length).toBeLessThanOrEqual(10);
    expect(inSequence).toBeLessThanOrEqual(3 * 10 + 4);
  });
});
