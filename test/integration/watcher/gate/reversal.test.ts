import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../../../src/runtime/clock.ts";
import { type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { fastClock, keepingLog, struggle } from "../../../support/fault-steps.ts";
import { waitToEqual } from "../../../support/wait-to-equal.ts";

/** The same first block whenever it starts. */
const sameGenesis = ["--timestamp", "1700000000"];

let anvil: Anvil;
/** A branch of its own, from its first block on: nobody is paid there. */
let fork: Anvil;
let first: RpcProxy;
let second: RpcProxy;
let watched: WatchedChain;
let kept: ReturnType<typeof keepingLog>;

beforeEach(async () => {
  [anvil, fork] = await Promise.all([
    startAnvil({ args: sameGenesis }),
    startAnvil({ args: sameGenesis }),
  ]);
  first = await startRpcProxy(anvil.rpcUrl);
  second = await startRpcProxy(anvil.rpcUrl);
  await watchPaid(fastClock(20));
});

async function watchPaid(clock: Clock): Promise<void> {
  kept = keepingLog();
  watched = await watchChain({
    rpcUrl: first.url,
    rpcUrls: [first.url, second.url],
    depth: 2,

    log: kept.log,
    clock,
    witness: { patienceMs: 60_000 },
  });
  await watched.catchUp();
  await watched.addWallet(wallet);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  await anvil.mine(2);
  await watched.catchUp();
  expect(await statuses()).toEqual(["completed"]);
}

afterEach(async () => {
  await watched.stop();
  await Promise.all([anvil.stop(), fork.stop(), first.stop(), second.stop()]);
});

const statuses = async () =>
  (await watched.db.transaction.findMany({ orderBy: { createdAt: "asc" } })).map(
    ({ status }) => status,
  );
const notified = async () =>
  (await watched.db.notification.findMany({ orderBy: { createdAt: "asc" } })).map(
    ({ state }) => state,
  );
const said = (message: string) => kept.lines.filter((line) => line.message === message);

describe("a deposit that is completed, and a branch without it", () => {
  it("stays completed while the other endpoint has its block, and that is said once", async () => {
    await fork.mine(9);
    first.retarget(fork.rpcUrl);
    await struggle(watched, 4);
    expect(await statuses()).toEqual(["completed"]);
    expect(await notified()).toEqual(["confirmed"]);
    expect(watched.gate.held()).toMatchObject({ what: "reorg", why: "disputed" });
    expect(watched.gate.held()?.times).toBeGreaterThan(1);
    expect(said("chain.held").filter(({ fields }) => fields["what"] === "reorg")).toHaveLength(1);

    first.retarget(anvil.rpcUrl);
    await anvil.mine(1);
    await watched.catchUp();
    expect(await statuses()).toEqual(["completed"]);
    expect(watched.gate.held()).toBeNull();
  });

  it("waits no more in a process from which another one has taken the chain", async () => {
    await fork.mine(9);
    first.retarget(fork.rpcUrl);
    await struggle(watched, 2);
    expect(watched.gate.held()).toMatchObject({ what: "reorg" });
    const standby = watched.newWatcher(async () => false);
    await standby.start();
    await waitToEqual(async () => watched.gate.held(), null, {
      what: "nothing that waits",
      timeoutMs: 20_000,
    });
    await standby.stop();
  });

  it("is reversed once both endpoints are on that branch", async () => {
    await fork.mine(9);
    first.retarget(fork.rpcUrl);
    await struggle(watched, 2);
    second.retarget(fork.rpcUrl);
    await watched.catchUp();
    expect(await statuses()).toEqual(["reversed"]);
    expect(await notified()).toEqual(["confirmed", "reversed"]);
    expect(watched.gate.held()).toBeNull();
    expect(said("chain.released")).not.toEqual([]);
  });

  it("stays completed while the other endpoint says nothing, until it has been waited for", async () => {
    await fork.mine(9);
    first.retarget(fork.rpcUrl);
    second.misbehave(() => "drop");
    await struggle(watched, 2);
    expect(await statuses()).toEqual(["completed"]);
    await waitToEqual(async () => (await struggle(watched, 1)) && statuses(), ["reversed"], {
      what: "the reversal",
      timeoutMs: 30_000,
    });
    expect(said("witness.passed_over")).not.toEqual([]);
  });

  it("is not reversed by an endpoint whose branch is ahead of the one that leads", async () => {
    // By a fast clock, a slow machine's leader would stand still for too long.
    await watched.stop();
    await watchPaid(systemClock);
    await fork.mine(12);
    second.retarget(fork.rpcUrl);
    for (let round = 0; round < 4; round += 1) {
      await struggle(watched, 1);
      await anvil.mine(1);
    }
    expect(said("endpoint.switched")).toEqual([]);
    expect(await statuses()).toEqual(["completed"]);
    expect((await watched.ledger.readPosition("anvil"))?.number).toBeGreaterThan(3n);
  });
});

describe("what a reorganisation has taken away", () => {
  it("is settled only when both endpoints have the branch that took its place", async () => {
    await fork.mine(9);
    first.retarget(fork.rpcUrl);
    second.misbehave(async ({ method, params }, forward) => {
      const answer = (await forward(fork.rpcUrl)) as { number: string } | null;
      if (method !== "eth_getBlockByNumber" || params[1] !== false || answer === null)
        return { result: answer };
      // A third branch, in the other endpoint's words: neither the old one nor that of the first.
      const isStored = BigInt(answer.number) > 0n;
      return { result: isStored ? { ...answer, hash: `0x${"3".repeat(64)}` } : answer };
    });
    await struggle(watched, 4);
    expect(await statuses()).toEqual(["completed"]);
    expect(watched.gate.held()).not.toBeNull();

    second.misbehave(null);
    second.retarget(fork.rpcUrl);
    await watched.catchUp();
    expect(await statuses()).toEqual(["reversed"]);
  });

  it("is settled also where the other endpoint is a block behind whenever it is asked", async () => {
    await fork.mine(2);
    for (const proxy of [first, second]) proxy.retarget(fork.rpcUrl);
    for (let round = 0; round < 6; round += 1) {
      const before = await fork.block("latest");
      await fork.mine(1);
      second.misbehave(({ params }) => (params[0] === "latest" ? { result: before } : null));
      await struggle(watched, 1);
    }
    expect((await watched.ledger.readPosition("anvil"))?.number).toBe(8n);
    expect(await statuses()).toEqual(["reversed"]);
    expect(await notified()).toEqual(["confirmed", "reversed"]);
  });
});

describe("a branch that was higher than the chain is", () => {
  it("left as soon as both endpoints have the lower one, and settled at its own height", async () => {
    const pay = () => anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await pay();
    await anvil.mine(40);
    await watched.catchUp();
    expect(await statuses()).toEqual(["completed", "completed"]);

    await anvil.rollback(41);
    // Not the block that was there.
    await anvil.sendNative({ from: payer, to: payer, amountAtomic: 1n });
    await pay();
    await anvil.mine(2);
    await watched.catchUp();
    expect(await statuses()).toEqual(["completed", "completed", "completed"]);
    expect(said("reorg.undone")).toHaveLength(1);

    await anvil.mine(40);
    await watched.catchUp();
    expect(await statuses()).toEqual(["completed", "reversed", "completed"]);
  });
});
