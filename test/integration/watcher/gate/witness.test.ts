import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WitnessPolicy } from "../../../../src/domain/chain/confirmation.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { keepingLog, struggle } from "../../../support/fault-steps.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

const patienceMs = 600_000;

let anvil: Anvil;
let proxies: [RpcProxy, RpcProxy, RpcProxy];
let watched: WatchedChain | null = null;
let kept: ReturnType<typeof keepingLog>;
let clock: ReturnType<typeof createSkippingClock>;

beforeEach(async () => {
  anvil = await startAnvil({});
  const start = () => startRpcProxy(anvil.rpcUrl);
  proxies = [await start(), await start(), await start()];
  kept = keepingLog();
  clock = createSkippingClock();
});

afterEach(async () => {
  await watched?.stop();
  watched = null;
  await Promise.all([anvil.stop(), ...proxies.map(({ stop }) => stop())]);
});

async function watch(options: {
  endpoints: number;
  witness?: Partial<WitnessPolicy>;
  tag?: "finalized";
  urls?: string[];
  providers?: ReadonlyMap<string, string>;
}): Promise<WatchedChain> {
  const rpcUrls = options.urls ?? proxies.slice(0, options.endpoints).map(({ url }) => url);
  watched = await watchChain({
    rpcUrl: anvil.rpcUrl,
    rpcUrls,
    depth: 2,
    log: kept.log,
    clock,
    witness: { patienceMs, ...options.witness },
    ...(options.providers === undefined ? {} : { providers: options.providers }),
    ...(options.tag === undefined ? {} : { tag: options.tag }),
  });
  await watched.catchUp();
  await watched.addWallet(wallet);
  return watched;
}

async function deposit(): Promise<void> {
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  await anvil.mine(2);
}

const rows = async ({ db }: WatchedChain) =>
  db.transaction.findMany({
    select: { status: true, confirmedAlone: true },
    orderBy: { id: "asc" },
  });
const marks = async ({ db }: WatchedChain) =>
  (await db.notification.findMany()).map(({ body }) => {
    const { confirmedAlone, proof } = JSON.parse(body).data;
    return { confirmedAlone, proof };
  });
const said = (message: string) => kept.lines.filter((line) => line.message === message);
const pending = { status: "pending", confirmedAlone: false };
const completed = { status: "completed", confirmedAlone: false };

describe("with two endpoints, of which the second says nothing", () => {
  it("nothing is confirmed before it has been waited for; then it is, marked and logged once", async () => {
    const watching = await watch({ endpoints: 2 });
    proxies[1].misbehave(() => "drop");
    // Above the first block, whose header has no state that could be waited for.
    await anvil.mine(1);
    await deposit();
    await struggle(watching, 2);
    clock.skip(patienceMs - 60_000);
    await anvil.mine(1);
    await struggle(watching, 1);
    expect(await rows(watching)).toEqual([pending]);
    expect(watching.gate.held()).toMatchObject({ what: "confirmation", why: "silent" });
    const held = said("chain.held").filter(({ fields }) => fields["what"] === "confirmation");
    expect(held).toHaveLength(1);

    clock.skip(120_000);
    await anvil.mine(2);
    await struggle(watching, 1);
    expect(await rows(watching)).toEqual([{ status: "completed", confirmedAlone: true }]);
    expect(await marks(watching)).toEqual([{ confirmedAlone: true, proof: "root" }]);
    const passed = said("witness.passed_over");
    expect(passed.filter(({ fields }) => fields["what"] === "confirmation")).toHaveLength(1);
  });

  it.each([
    ["both agree on", true],
    ["one endpoint confirms alone too", false],
  ])("a transaction moves by a reorg to a block that %s", async (_, answers) => {
    const watching = await watch({ endpoints: 2 });
    proxies[1].misbehave(() => "drop");
    await anvil.mine(1);
    await deposit();
    await struggle(watching, 2);
    clock.skip(patienceMs + 60_000);
    await anvil.mine(2);
    await struggle(watching, 1);
    expect(await rows(watching)).toEqual([{ status: "completed", confirmedAlone: true }]);
    const { txHash, blockHash } = await watching.db.transaction.findFirstOrThrow();

    if (answers) proxies[1].misbehave(null);
    clock.skip(120_000);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", txHash);
    await anvil.rollback(5);
    await anvil.sendRaw(raw);
    await anvil.mine(7);
    await struggle(watching, 4);
    clock.skip(patienceMs + 60_000);
    await anvil.mine(2);
    await struggle(watching, 4);
    expect(await watching.db.transaction.findFirstOrThrow()).not.toMatchObject({ blockHash });
    expect(await rows(watching)).toEqual([{ status: "completed", confirmedAlone: !answers }]);
    expect((await checkLedger(watching.db)).findings).toEqual([]);
  });

  it("`required` goes on waiting, until it answers", async () => {
    const watching = await watch({ endpoints: 2, witness: { mode: "required" } });
    proxies[1].misbehave(() => "drop");
    await deposit();
    await struggle(watching, 2);
    clock.skip(10 * patienceMs);
    await anvil.mine(1);
    await struggle(watching, 1);
    expect(await rows(watching)).toEqual([pending]);
    expect(said("witness.passed_over")).toEqual([]);

    proxies[1].misbehave(null);
    clock.skip(120_000);
    await struggle(watching, 2);
    expect(await rows(watching)).toEqual([completed]);
    expect(watching.gate.held()).toBeNull();
  });

  it("that has stood still is one that says nothing; that follows from behind is not", async () => {
    const watching = await watch({ endpoints: 2 });
    let lagging = await anvil.block("latest");
    proxies[1].misbehave(({ params }) => (params[0] === "latest" ? { result: lagging } : null));
    await deposit();
    for (let round = 0; round < 4; round += 1) {
      await struggle(watching, 1);
      clock.skip(patienceMs / 2);
      lagging = await anvil.block("latest");
      await anvil.mine(3);
    }
    expect(said("witness.passed_over")).toEqual([]);
    expect(await rows(watching)).toEqual([completed]);

    await deposit();
    await struggle(watching, 1);
    clock.skip(patienceMs + 1_000);
    await struggle(watching, 1);
    expect(await rows(watching)).toEqual([
      completed,
      { status: "completed", confirmedAlone: true },
    ]);
  });
});

describe("with three endpoints", () => {
  it("one that has stood still is passed over at once", async () => {
    const watching = await watch({ endpoints: 3 });
    const stale = await anvil.block("latest");
    proxies[1].misbehave(({ params }) => (params[0] === "latest" ? { result: stale } : null));
    await deposit();
    await watching.catchUp();
    expect(await rows(watching)).toEqual([completed]);
    expect(said("chain.held")).toEqual([]);
  });

  it("one that contradicts does not hold up the two that agree", async () => {
    const watching = await watch({ endpoints: 3 });
    const other = `0x${"7".repeat(64)}`;
    proxies[1].misbehave(async ({ method, params }, forward) => {
      const answer = (await forward()) as { hash: string; number: string } | null;
      const isLater = answer !== null && BigInt(answer.number ?? 0) > 0n;
      if (method !== "eth_getBlockByNumber" || params[1] !== false || !isLater)
        return { result: answer };
      return { result: { ...answer, hash: other } };
    });
    await deposit();
    await watching.catchUp();
    expect(await rows(watching)).toEqual([completed]);
  });

  it("`count: 3` waits for all of them", async () => {
    const watching = await watch({ endpoints: 3, witness: { count: 3, mode: "required" } });
    proxies[2].misbehave(() => "drop");
    await deposit();
    await struggle(watching, 2);
    expect(await rows(watching)).toEqual([pending]);
    proxies[2].misbehave(null);
    clock.skip(120_000);
    await struggle(watching, 2);
    expect(await rows(watching)).toEqual([completed]);
  });
});

describe("what is no second endpoint", () => {
  it("two URLs of one host are one: nothing waits, and the log says so at the start", async () => {
    const [{ url }] = proxies;
    const watching = await watch({ endpoints: 2, urls: [url, `${url}/other-key`] });
    await deposit();
    await watching.catchUp();
    expect(await rows(watching)).toEqual([completed]);
    expect(said("endpoint.same_host")).toHaveLength(1);
  });

  it.each([
    ["of one label are one", ["alchemy", "alchemy"], true],
    ["of different labels are two", ["alchemy", "infura"], false],
    ["without labels are two where their ports differ", [], false],
  ])("two URLs %s", async (_title, labels, isAlone) => {
    const urls = proxies.slice(0, 2).map(({ url }) => url);
    const providers = new Map(labels.map((label, at) => [urls[at] ?? "", label]));
    const watching = await watch({ endpoints: 2, providers });
    expect(watching.chain.isAlone()).toBe(isAlone);
    expect(said("endpoint.same_host")).toEqual([]);
  });
});

describe("a `finalized` tag", () => {
  const named =
    (how: (head: { number: string; hash: string }) => object | null) =>
    async (call: { params: unknown[] }) => {
      if (call.params[0] !== "finalized") return null;
      return { result: how((await anvil.block("latest")) as { number: string; hash: string }) };
    };
  const nonsense = `0x${"9".repeat(64)}`;
  const ahead = named((head) => ({
    ...head,
    number: `0x${(BigInt(head.number) + 5n).toString(16)}`,
    hash: nonsense,
  }));

  it("above the endpoint's own head confirms nothing, with one endpoint either", async () => {
    const watching = await watch({ endpoints: 1, tag: "finalized" });
    proxies[0].misbehave(ahead);
    await deposit();
    await watching.catchUp();
    expect(await rows(watching)).toEqual([pending]);
  });

  it.each([
    ["where there is no other endpoint", 1],
    ["where another endpoint says the right one", 2],
  ] as const)(
    "of another hash than the stored block confirms nothing, %s",
    async (_, endpoints) => {
      const watching = await watch({ endpoints, tag: "finalized" });
      const before = await anvil.block("latest");
      for (const proxy of proxies) proxy.misbehave(named(() => before));
      await deposit();
      await watching.catchUp();
      for (const proxy of proxies) proxy.misbehave(named((head) => head));
      proxies[0].misbehave(named((head) => ({ ...head, hash: nonsense })));
      await watching.catchUp();
      expect(await rows(watching)).toEqual([pending]);
      proxies[0].misbehave(named((head) => head));
      await watching.catchUp();
      expect(await rows(watching)).toEqual([{ ...completed, confirmedAlone: endpoints === 1 }]);
    },
  );

  it("confirms no further than the second endpoint's own", async () => {
    const watching = await watch({ endpoints: 2, tag: "finalized" });
    const before = await anvil.block("latest");
    proxies[0].misbehave(named((head) => head));
    proxies[1].misbehave(named(() => before));
    await deposit();
    await watching.catchUp();
    expect(await rows(watching)).toEqual([pending]);
    proxies[1].misbehave(named((head) => head));
    await watching.catchUp();
    expect(await rows(watching)).toEqual([completed]);
  });
});
