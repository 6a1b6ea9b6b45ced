import { setTimeout as sleep } from "node:timers/promises";
import {
  connect,
  localAccount,
  mintToken,
  sendNative,
} from "../../development/chain/demo-token.ts";
import { replaceBlocks } from "../../development/chain/payments.ts";
import { type Caller, caller } from "./call.ts";
import { type Stage, step } from "./journey.ts";
import type { StubReceiver } from "./stub-receiver.ts";

/** Accounts of the local chain: the businesses' wallets, and the account that pays them. */
const accounts = { payer: 2, shop: [6, 7], exchange: [8], lied: [3] } as const;

const ether = 10n ** 18n;
const timeoutMs = 60_000;
const lookMs = 100;

type Populated = Pick<Stage, "apiUrl" | "adminToken" | "rpcUrl" | "chainName" | "token" | "say">;

/**
 * Makes content for the console: a shop whose receiver fails, and an exchange. A reorg undoes one
 * of the exchange's deposits. For one of its wallets the node reports a balance that its blocks do
 * not explain.
 * @returns the ids of the two businesses
 */
export async function populate(stage: Populated, receiver: StubReceiver): Promise<string[]> {
  const { apiUrl, adminToken, say } = stage;
  const admin = caller(apiUrl, { authorization: `Bearer ${adminToken}` });
  const askedMs = Date.now();
  const shop = await makeBusiness(stage, admin, {
    name: "Corner Shop",
    purpose: "payment",
    accounts: accounts.shop,
    receiver: receiver.url(503),
  });
  const exchange = await makeBusiness(stage, admin, {
    name: "Northwind Exchange",
    purpose: "deposit",
    accounts: [...accounts.exchange, ...accounts.lied],
    receiver: receiver.url(204),
  });
  await payOrders(stage);
  await transactionOf(shop.api, "?status=completed", accounts.shop.length);
  say(step("a shop whose receiver answers 503", Date.now() - askedMs, shop.id));
  await undoDeposit(stage, exchange.api);
  say(step("a deposit that a reorg undid", Date.now() - askedMs, exchange.id));
  await lie(stage, admin, exchange);
  say(step("a node that claims another balance", Date.now() - askedMs, exchange.id));
  return [shop.id, exchange.id];
}

type Made = { id: string; api: Caller; wallets: { wallet_id: string; address: string }[] };

async function makeBusiness(
  stage: Populated,
  admin: Caller,
  spec: { name: string; purpose: string; accounts: readonly number[]; receiver: string },
): Promise<Made> {
  const { name, purpose } = spec;
  const business = await admin("POST", "/admin/businesses", { name, verified: true });
  const path = `/admin/businesses/${business["id"]}`;
  const { key } = await admin("POST", `${path}/api-keys`, { label: "production" });
  await admin("POST", `${path}/api-keys`, { label: "accounting", scopes: ["read"] });
  const wallets = spec.accounts.map((index, turn) => ({
    blockchain: stage.chainName,
    address: localAccount(index),
    purpose,

    label: `${name} ${turn + 1}`,
    reference: `order-${1_001 + turn}`,
  }));
  const added = await admin("POST", `${path}/wallets`, { wallets });
  const api = caller(stage.apiUrl, { "x-api-key": String(key) });
  await api("POST", "/webhooks", { url: spec.receiver });
  await allWatched(api, wallets.length);
  return { id: String(business["id"]), api, wallets: added as unknown as Made["wallets"] };
}

/**
 * Waits until the wallets are watched. A payment made before a wallet's opening balance is read
 * becomes a part of that balance.
 */
async function allWatched(api: Caller, count: number): Promise<void> {
  await until(`${count} wallets to be watched`, async () => {
    const wallets = (await api("GET", "/wallets")) as unknown as { status: string }[];
    return wallets.filter(({ status }) => status === "watched").length === count;
  });
}

async function payOrders({ rpcUrl, token }: Populated): Promise<void> {
  const { payer: fromIndex } = accounts;
  for (const [turn, index] of accounts.shop.entries()) {
    const to = localAccount(index);
    const cents = BigInt(4_999 + turn * 1_250);
    await mintToken(
      { rpcUrl },
      { fromIndex, token: token.address, to, amountAtomic: cents * 10_000n },
    );
  }
}

async function undoDeposit({ rpcUrl }: Populated, api: Caller): Promise<void> {
  const [index] = accounts.exchange;
  const to = localAccount(index);
  await sendNative({ rpcUrl }, { fromIndex: accounts.payer, to, amountAtomic: 3n * ether });
  const [deposit] = await transactionOf(api, "?status=completed", 1);
  const detail = await api("GET", `/transactions/${deposit?.["id"]}`);
  const chain = connect(rpcUrl);
  const head = await chain.getBlockNumber({ cacheTime: 0 });
  await replaceBlocks({ rpcUrl }, Number(head) - Number(detail["block_number"]) + 1);
  // Missing transactions are settled when the new branch is as high as the old one was.
  await chain.mine({ blocks: 3 });
  await transactionOf(api, "?status=reversed", 1);
}

/**
 * Makes a balance that no block explains, as a node that lies or was tampered with would report.
 */
async function lie({ rpcUrl }: Populated, admin: Caller, { wallets }: Made): Promise<void> {
  const wallet = wallets.at(-1);
  const [index] = accounts.lied;
  const chain = connect(rpcUrl);
  const address = localAccount(index);
  const balance = await chain.getBalance({ address });
  await chain.setBalance({ address, value: balance + 2n * ether });
  await chain.mine({ blocks: 3 });
  await until("the difference to be found", async () => {
    const report = await admin("POST", "/admin/reconcile", { wallet_id: wallet?.wallet_id });
    return Number(report["discrepancies"]) > 0;
  });
}

async function transactionOf(
  api: Caller,
  query: string,
  count: number,
): Promise<Record<string, unknown>[]> {
  let found: Record<string, unknown>[] = [];
  await until(`${count} transactions ${query}`, async () => {
    found = (await api("GET", `/transactions${query}`)) as unknown as Record<string, unknown>[];
    return found.length >= count;
  });
  return found;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`Waited in vain for ${what}.`);
    await sleep(lookMs);
  }
}
