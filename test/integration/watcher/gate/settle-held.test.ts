import { afterEach, beforeEach, expect, test } from "vitest";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { type Contract, deploy } from "../../../support/chain/money-contracts.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { settleHeld } from "../../../support/ledger/steps.ts";

const nobody = "01900000-0000-7000-8000-000000000000";
const other = "0x00000000000000000000000000000000000b0b00";

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;
let disperse: Contract;

beforeEach(async () => {
  disperse = await deploy(anvil, "Disperse");
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
  await watched.catchUp();
});

afterEach(() => watched.stop());

/** A contract pays two wallets in a block whose state no endpoint has any more. */
async function hold(): Promise<[first: string, second: string, blockHash: string]> {
  const first = await openWallet(watched, anvil, wallet);
  const second = await openWallet(watched, anvil, other);
  proxy.misbehave(({ method }) =>
    method === "eth_getProof" || method === "eth_getBalance"
      ? { error: { code: -32_000, message: "missing trie node" } }
      : null,
  );
  await disperse.send(
    payer,
    "disperse",
    [
      [wallet, other],
      [5n, 6n],
    ],
    11n,
  );
  await anvil.mine(3);
  await watched.catchUp();
  const { blockHash } = await watched.db.transaction.findFirstOrThrow();
  return [first, second, blockHash];
}

const rows = async () => {
  const found = await watched.db.transaction.findMany({ orderBy: { amount: "asc" } });
  return found.map(({ amount, status, confirmedAlone }) => [
    Number(amount),
    status,
    confirmedAlone,
  ]);
};
const held = [
  [5, "pending", false],
  [6, "pending", false],
];

test("an operator settles what is held in a block, of one wallet and then of all", async () => {
  const [first, second, blockHash] = await hold();
  expect(await rows()).toEqual(held);
  const { chainName, db } = watched;
  const settled = await settleHeld(db, { chainName, blockHash, walletId: first });
  expect(settled).toMatchObject({ block: { hash: blockHash }, confirmed: 1, notified: 1 });
  expect(settled.transactions).toMatchObject([
    { walletId: first, assetCode: "ETH", amountAtomic: "5" },
  ]);
  expect(await rows()).toEqual([
    [5, "completed", true],
    [6, "pending", false],
  ]);
  expect(await watched.balances(first)).toEqual({ ETH: 5n });
  expect(await watched.balances(second)).toEqual({ ETH: 0n });

  await settleHeld(db, { chainName, blockHash, walletId: null });
  expect(await rows()).toEqual([
    [5, "completed", true],
    [6, "completed", true],
  ]);
  expect(await watched.balances(second)).toEqual({ ETH: 6n });
  const [{ body } = { body: "{}" }] = await db.notification.findMany();
  expect(JSON.parse(body).data).toMatchObject({ confirmedAlone: true, proof: "answered" });
});

test("nothing is settled that is not held, and the refusal names the blocks in which something is", async () => {
  const [first, , blockHash] = await hold();
  const { chainName, db } = watched;
  const unknown = `0x${"00".repeat(32)}`;
  const refused = { code: "invalid_request", message: expect.stringContaining(blockHash) };
  const of = (asked: { blockHash: string; walletId: string | null }) =>
    settleHeld(db, { chainName, ...asked });
  await expect(of({ blockHash: unknown, walletId: null })).rejects.toMatchObject(refused);
  await expect(of({ blockHash, walletId: nobody })).rejects.toMatchObject(refused);
  expect(await rows()).toEqual(held);

  await of({ blockHash, walletId: null });
  await expect(of({ blockHash, walletId: first })).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("Nothing else is held either."),
  });
  await expect(
    settleHeld(db, { chainName: "moon", blockHash, walletId: null }),
  ).rejects.toMatchObject({ code: "chain_not_found" });
  expect(await db.notification.count()).toBe(2);
});
