import { localAccount, mintToken, sendNative } from "../../development/chain/demo-token.ts";
import type { Address } from "../../domain/chain/address.ts";
import { type Caller, caller, request } from "./call.ts";
import type { Arrival, DemoReceiver } from "./receiver.ts";

/** Where the journey takes place. */
export type Stage = {
  apiUrl: string;
  adminToken: string;
  rpcUrl: string;
  chainName: string;
  token: { address: Address; code: string; decimals: number };
  receiver: DemoReceiver;
  /** Prints one line of the journey. */
  say: (line: string) => void;
};

/**
 * The business's wallet is one of the local chain's funded accounts, so that the demo can also send
 * from it.
 */
const walletIndex = 5;
const payerIndex = 1;
const ether = 10n ** 18n;
const arrivalTimeoutMs = 30_000;

/**
 * Makes the whole journey of docs/contract.md#commands-of-the-package. Throws at the first step
 * that differs from it. Returns the id of the business.
 */
export async function travel(stage: Stage): Promise<string> {
  const { receiver, say } = stage;
  const admin = caller(stage.apiUrl, { authorization: `Bearer ${stage.adminToken}` });
  const wallet = localAccount(walletIndex);

  const begunAtMs = Date.now();
  const business = await admin("POST", "/admin/businesses", { name: "Demo Ltd", verified: true });
  const { key } = await admin("POST", `/admin/businesses/${business["id"]}/api-keys`, {
    label: "demo",
  });
  await admin("POST", `/admin/businesses/${business["id"]}/wallets`, {
    blockchain: stage.chainName,
    address: wallet,
  });
  say(step("business, API key and wallet made", Date.now() - begunAtMs, wallet));

  const api = caller(stage.apiUrl, { "x-api-key": String(key) });
  const webhookAtMs = Date.now();
  const webhook = await api("POST", "/webhooks", { url: receiver.url });
  receiver.useSecret(String(webhook["secret"]));
  say(step("webhook registered", Date.now() - webhookAtMs, receiver.url));

  const toWallet = { fromIndex: payerIndex, to: wallet };
  await expectNotification(
    stage,
    { what: "native deposit", event: "transaction.deposit", amount: "1.5" },
    () => sendNative(stage, { ...toWallet, amountAtomic: (3n * ether) / 2n }),
  );
  await expectNotification(
    stage,
    { what: "token deposit", event: "transaction.deposit", amount: "250.25" },
    () => mintToken(stage, { ...toWallet, token: stage.token.address, amountAtomic: 250_250_000n }),
  );
  await expectNotification(
    stage,
    { what: "withdrawal", event: "transaction.withdrawal", amount: "0.25" },
    () =>
      sendNative(stage, {
        fromIndex: walletIndex,
        to: localAccount(payerIndex),
        amountAtomic: ether / 4n,
      }),
  );
  await failTwice(stage, toWallet);
  await showLedger(stage, api);
  return String(business["id"]);
}

type Expected = { what: string; event: string; amount: string };

async function expectNotification(
  stage: Stage,
  expected: Expected,
  send: () => Promise<string>,
): Promise<Arrival> {
  const { receiver, say } = stage;
  const sentAtMs = Date.now();
  const txHash = await send();
  const minedAtMs = Date.now();
  const arrival = await receiver.next(arrivalTimeoutMs);
  const { event, data } = arrival;
  require(data.txHash === txHash &&
    event === expected.event &&
    data.amount === expected.amount, expected.what, arrival);
  say(step(`${expected.what} of ${data.amount} ${data.asset} mined`, minedAtMs - sentAtMs, txHash));
  say(
    step(
      `${event} confirmed, notified and verified twice`,
      arrival.arrivedAtMs - minedAtMs,
      arrival.id,
    ),
  );
  return arrival;
}

async function failTwice(
  stage: Stage,
  toWallet: { fromIndex: number; to: Address },
): Promise<void> {
  const { receiver, say } = stage;
  receiver.failNext(2);
  const expected = {
    what: "deposit to a failing receiver",
    event: "transaction.deposit",
    amount: "0.01",
  };
  const first = await expectNotification(stage, expected, () =>
    sendNative(stage, { ...toWallet, amountAtomic: ether / 100n }),
  );
  const second = await receiver.next(arrivalTimeoutMs);
  const third = await receiver.next(arrivalTimeoutMs);
  require(first.id === second.id && second.id === third.id, "the same id on every attempt", {
    first,
    second,
    third,
  });
  say(
    step(
      "answered 500 twice, heard the third time",
      third.arrivedAtMs - first.arrivedAtMs,
      third.id,
    ),
  );
}

const list = { method: "GET", path: "/transactions?limit=10" };

async function showLedger(stage: Stage, api: Caller): Promise<void> {
  const askedAtMs = Date.now();
  const { text } = await request(stage.apiUrl, {
    method: "GET",
    path: "/balance",
    headers: api.headers,
  });
  stage.say(step("GET /balance", Date.now() - askedAtMs, text));
  const { data: history }: { data: Record<string, unknown>[] } = JSON.parse(
    (await request(stage.apiUrl, { ...list, headers: api.headers })).text,
  );
  require(history.length === 4, "four transactions in the history", history);
  stage.say(
    step("GET /transactions", Date.now() - askedAtMs, `${history.length} of them, newest first`),
  );
  for (const { date, type, amount, asset, status } of history) {
    stage.say(
      `     ${date}  ${String(type).padEnd(10)} ${String(amount).padStart(8)} ${asset}  ${status}`,
    );
  }
}

export function step(what: string, tookMs: number, detail: string): string {
  return `  ${what.padEnd(52)} ${`${tookMs} ms`.padStart(8)}  ${detail}`;
}

function require(isTrue: boolean, what: string, seen: unknown): void {
  if (!isTrue) throw new Error(`Not as promised: ${what}. Seen: ${JSON.stringify(seen)}`);
}
