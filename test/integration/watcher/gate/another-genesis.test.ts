import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Hash } from "../../../../src/domain/chain/block.ts";
import type { KnownGenesis } from "../../../../src/domain/chain/profiles/known-genesis.ts";
import { type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { keepingLog, struggle } from "../../../support/fault-steps.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

const patienceMs = 600_000;

let honest: Anvil;
let invented: Anvil;
let liar: RpcProxy;
let second: RpcProxy;
let third: RpcProxy;
let watched: WatchedChain;
let clock: ReturnType<typeof createSkippingClock>;
let kept: ReturnType<typeof keepingLog>;

beforeEach(async () => {
  // The same chain id; a genesis block holds its time.
  honest = await startAnvil({ args: ["--timestamp", "1700000000"] });
  invented = await startAnvil({ args: ["--timestamp", "1600000000"] });
  liar = await startRpcProxy(invented.rpcUrl);
  second = await startRpcProxy(honest.rpcUrl);
  third = await startRpcProxy(honest.rpcUrl);
  clock = createSkippingClock();
  kept = keepingLog();
  for (const chain of [honest, invented]) await chain.mine(5);
});

afterEach(async () => {
  await watched.stop();
  for (const one of [liar, second, third, honest, invented]) await one.stop();
});

async function watch(
  endpoints: RpcProxy[],
  mode: "prefer" | "required" = "prefer",
  genesis: KnownGenesis | null = null,
) {
  const rpcUrls = endpoints.map(({ url }) => url);
  watched = await watchChain({
    rpcUrl: rpcUrls[0] ?? "",
    rpcUrls,
    depth: 2,
    clock,
    log: kept.log,
    witness: { patienceMs, mode },
    ...(genesis === null ? {} : { genesis }),
  });
}

/** A payment of 7 on the invented chain, one of 5 on the honest one. */
async function pay(): Promise<void> {
  await invented.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
  await honest.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
}

async function goOn(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    clock.skip(patienceMs + 60_000);
    for (const chain of [honest, invented]) await chain.mine(2);
    await struggle(watched, 1);
  }
}

async function genesisOf(chain: Anvil): Promise<KnownGenesis> {
  const { hash } = (await chain.rpc("eth_getBlockByNumber", "0x0", false)) as { hash: Hash };
  return { hash, source: "a test" };
}

const rows = async () =>
  (await watched.db.transaction.findMany()).map(({ amount, status }) => [Number(amount), status]);

const heldForIt = { what: "confirmation", why: "disputed" };
const messages = () => kept.lines.map(({ message }) => message);

describe("another chain under the configured chain id", () => {
  it.each([
    ["prefer", "first"],
    ["prefer", "second"],
    ["required", "first"],
    ["required", "second"],
  ] as const)(
    "is a dispute before anything is stored: %s, its endpoint is the %s of two",
    async (mode, place) => {
      await watch(place === "first" ? [liar, second] : [second, liar], mode);
      await struggle(watched, 1);
      await watched.addWallet(wallet);
      await pay();
      await goOn();
      expect(await watched.ledger.readPosition(watched.chainName)).toBeNull();
      expect(await rows()).toEqual([]);
      expect(watched.gate.held()).toMatchObject(heldForIt);
      expect(messages()).toContain("chain.held");
      expect(messages()).not.toContain("witness.passed_over");
      liar.retarget(honest.rpcUrl);
      await goOn();
      expect(
        (await watched.ledger.readChainState(watched.chainName)).confirmedNumber,
      ).not.toBeNull();
      expect(watched.gate.held()).toBeNull();
    },
  );

  it.each(["prefer", "required"] as const)(
    "that an endpoint turns to later confirms nothing, however long it lasts: %s",
    async (mode) => {
      liar.retarget(honest.rpcUrl);
      await watch([liar, second], mode);
      await watched.catchUp();
      await watched.addWallet(wallet);
      liar.retarget(invented.rpcUrl);
      watched.restart();
      await pay();
      await goOn();
      expect(await rows()).toEqual([[5, "pending"]]);
      expect(watched.gate.held()).toMatchObject(heldForIt);
      expect(messages()).toContain("confirmation.disputed");
      liar.retarget(honest.rpcUrl);
      await goOn();
      expect(await rows()).toEqual([[5, "completed"]]);
    },
  );

  it.each([
    ["silent for less than the patience", "prefer", 0, false],
    ["silent for longer than the patience", "prefer", patienceMs + 60_000, true],
    ["silent, and required", "required", patienceMs + 60_000, false],
  ] as const)(
    "stores nothing beside a second one that is %s: %s",
    async (_, mode, ms, isStored) => {
      second.misbehave(() => ({ status: 503, text: "" }));
      await watch([liar, second], mode);
      await struggle(watched, 1);
      clock.skip(ms);
      await struggle(watched, 1);
      const position = await watched.ledger.readPosition(watched.chainName);
      expect(position !== null).toBe(isStored);
    },
  );

  it("is refused where the chain's first block is known, also where nobody else is asked", async () => {
    await watch([liar], "prefer", await genesisOf(honest));
    await expect(watched.catchUp()).rejects.toMatchObject({ code: "wrong_genesis" });
    expect(await watched.ledger.readPosition(watched.chainName)).toBeNull();
  });

  it("is not used where the chain's first block is known, whoever is silent", async () => {
    third.misbehave(() => ({ status: 503, text: "" }));
    await watch([liar, third, second], "required", await genesisOf(honest));
    await struggle(watched, 1);
    const { hash } = await genesisOf(honest);
    const chain = await watched.db.chain.findUniqueOrThrow({ where: { name: watched.chainName } });
    expect(chain.genesisHash).toBe(hash);
  });

  it("is known from the next one where an endpoint does not serve the first block", async () => {
    // The blocks of the last two epochs are read at a start.
    await honest.mine(100);
    second.misbehave(({ params }) =>
      params[0] === "0x0" ? { error: { code: -32_603, message: "invalid block height: 0" } } : null,
    );
    await watch([second], "prefer", await genesisOf(honest));
    await watched.catchUp();
    expect(await watched.ledger.readPosition(watched.chainName)).not.toBeNull();
  });

  it("is left where two of three endpoints serve the same one, whichever comes first", async () => {
    await watch([liar, second, third]);
    await struggle(watched, 1);
    await watched.addWallet(wallet);
    await pay();
    await goOn();
    expect(await rows()).toEqual([[5, "completed"]]);
    expect(watched.gate.held()).toBeNull();
  });
});
