import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { UnreadablePolicy } from "../../../src/domain/chain/block-proof.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { payer } from "../../support/chain/cast.ts";
import { forkAt, ofUnknownType, unknownField } from "../../support/chain/fork-of-tomorrow.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { deployToken } from "../../support/chain/token.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { keepingLog } from "../../support/fault-steps.ts";

const newAddress = () => `0x${randomBytes(20).toString("hex")}`;
const agreed: UnreadablePolicy = { header: "agreed", contents: "agreed" };

let anvil: Anvil;
let first: RpcProxy;
let second: RpcProxy;
let token: Awaited<ReturnType<typeof deployToken>>;
let watched: WatchedChain | null = null;
let kept: ReturnType<typeof keepingLog>;

beforeEach(async () => {
  anvil = await startAnvil({});
  first = await startRpcProxy(anvil.rpcUrl);
  second = await startRpcProxy(anvil.rpcUrl);
  token = await deployToken(anvil);
  kept = keepingLog();
});

afterEach(async () => {
  await watched?.stop();
  watched = null;
  for (const one of [first, second, anvil]) await one.stop();
});

/** The same machine by two names: two hosts, as far as anybody can see. */
const twoHosts = () => [first.url, second.url.replace("127.0.0.1", "localhost")];

async function watch(unreadable: UnreadablePolicy, rpcUrls: string[], farBlocks?: bigint) {
  watched = await watchChain({
    rpcUrl: first.url,
    rpcUrls,
    depth: 2,
    log: kept.log,
    unreadable,
    ...(farBlocks === undefined ? {} : { farBlocks }),
    tokens: [{ code: "TOK", address: token.address, decimals: 6 }],
  });
  await watched.catchUp();
  const wallet = newAddress();
  await watched.addWallet(wallet);
  return { watching: watched, wallet };
}

/** From the next block on. */
async function fork(change: (number: bigint) => Misbehave): Promise<void> {
  const next = BigInt(await anvil.blockNumber()) + 1n;
  first.misbehave(change(next));
  second.misbehave(change(next));
}

async function deposit(wallet: string): Promise<void> {
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  await token.mint(wallet, 7n);
  await anvil.mine(2);
}

const refusal = { code: "block_unreadable" };

/** What was recorded, and what shows it. */
const recorded = async (watching: WatchedChain) =>
  (
    await watching.db.transaction.findMany({ include: { asset: true }, orderBy: { id: "asc" } })
  ).map((row) => [row.asset.code, row.amount.toFixed(), row.status, row.proof]);

describe("a block with a field of the header that nobody knows", () => {
  it("is processed where two hosts agree on it; what they agree on is marked, and logged", async () => {
    const { watching, wallet } = await watch(agreed, twoHosts());
    await fork(forkAt);
    await deposit(wallet);
    await watching.catchUp();
    expect(await recorded(watching)).toEqual([
      ["ETH", "5", "completed", "agreed"],
      ["TOK", "7", "completed", "agreed"],
    ]);
    const { agreed: reading } = watching.chain.status();
    expect(reading).toMatchObject({
      blocks: 4,
      why: expect.stringContaining(unknownField),
      unread: "header",
      unknown: [unknownField],
    });
    const lines = kept.lines.filter(({ message }) => message === "block.agreed");
    expect(lines.map(({ fields }) => fields["count"])).toEqual([1, 2, 4]);
    expect(lines[0]?.fields["endpoints"]).toHaveLength(2);
  });

  it("is processed by ranges too, far behind", async () => {
    const { watching, wallet } = await watch(agreed, twoHosts(), 0n);
    await fork(forkAt);
    await deposit(wallet);
    await anvil.mine(6);
    await watching.catchUp();
    expect((await recorded(watching)).map(([, , , proof]) => proof)).toEqual(["agreed", "agreed"]);
    expect(await watching.ledger.readPosition(watching.chainName)).toMatchObject({
      number: BigInt(await anvil.blockNumber()),
    });
  });

  it.each<[string, UnreadablePolicy, () => string[]]>([
    ["where a proof is required", { header: "required", contents: "agreed" }, twoHosts],
    ["by one endpoint alone", agreed, () => [first.url]],
    ["by two endpoints of one host", agreed, () => [first.url, `${first.url}/other`]],
  ])("is not processed %s", async (_, policy, urls) => {
    const { watching, wallet } = await watch(policy, urls());
    await fork(forkAt);
    await deposit(wallet);
    await expect(watching.catchUp()).rejects.toMatchObject(refusal);
    expect(await recorded(watching)).toEqual([]);
  });

  it.each<[string, string, (answer: unknown) => unknown, string[]]>([
    // The first block is without logs.
    ["a log", "eth_getBlockReceipts", changed, ["ETH"]],
    ["the price of gas", "eth_getBlockReceipts", raised, []],
    ["a trace", "debug_traceBlockByHash", withCall, []],
  ])(
    "is not processed where the second host answers %s in another way",
    async (_, method, lie, before) => {
      const { watching, wallet } = await watch(agreed, twoHosts());
      await fork((number) => async (call, forward) => {
        const block = await forkAt(number)(call, forward);
        return call.method === method ? { result: lie(await forward()) } : block;
      });
      const next = BigInt(await anvil.blockNumber()) + 1n;
      first.misbehave(forkAt(next));
      await deposit(wallet);
      await expect(watching.catchUp()).rejects.toMatchObject(refusal);
      expect((await recorded(watching)).map(([code]) => code)).toEqual(before);
    },
  );
});

/**
 * With another amount in each log: in nothing else, as a hash or an address may end with the digits
 * of the amount.
 */
function changed(receipts: unknown): unknown {
  return (receipts as { logs: { data: string }[] }[]).map(({ logs, ...rest }) => ({
    ...rest,
    logs: logs.map((log) => ({ ...log, data: log.data.replace(/07$/, "09") })),
  }));
}

function raised(receipts: unknown): unknown {
  return (receipts as object[]).map((one) => ({ ...one, effectiveGasPrice: "0x1" }));
}

/** Coin that an inner call pays to the receiver. */
function withCall(traces: unknown): unknown {
  return (traces as { result: Record<string, unknown> }[]).map(({ result, ...rest }) => {
    const call = { ...result, from: result["to"], to: newAddress(), value: "0x9", type: "CALL" };
    return { ...rest, result: { ...result, calls: [call] } };
  });
}

describe("a transaction of a type that nobody knows", () => {
  it.each([
    ["a transaction that nobody can read", "transactions", "root"],
    ["one whose receipt nobody can read either", "receipts too", "bloom"],
  ] as const)("%s is processed where two hosts agree on it", async (_, parts, proof) => {
    const { watching, wallet } = await watch(agreed, twoHosts());
    await fork(ofUnknownType(parts));
    await deposit(wallet);
    await watching.catchUp();
    expect(await recorded(watching)).toEqual([
      ["ETH", "5", "completed", "agreed"],
      ["TOK", "7", "completed", proof],
    ]);
  });

  it("is named where a proof is required", async () => {
    const policy: UnreadablePolicy = { header: "agreed", contents: "required" };
    const { watching, wallet } = await watch(policy, twoHosts());
    await fork(ofUnknownType("transactions"));
    await deposit(wallet);
    await expect(watching.catchUp()).rejects.toThrow(/transaction 0 is of the type 0x55/);
  });
});

it("what is proved says by what", async () => {
  const { watching, wallet } = await watch(agreed, twoHosts());
  await deposit(wallet);
  await watching.catchUp();
  expect((await recorded(watching)).map(([, , , proof]) => proof)).toEqual(["root", "root"]);
  expect(watching.chain.status().agreed).toBeNull();
});
