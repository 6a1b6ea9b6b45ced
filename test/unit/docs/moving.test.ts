import { spawn } from "node:child_process";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keccak256 } from "viem";
import { expect, onTestFinished, test } from "vitest";
import { notificationBody } from "../../../src/domain/delivery/notification.ts";
import { idAt } from "../../../src/domain/id.ts";
import { newWebhookSecret } from "../../../src/domain/webhook/secret.ts";
import { signatureHeaders } from "../../../src/webhook/signature.ts";
import { inCheckout } from "../../support/checkout.ts";

const circle = generateKeyPairSync("ec", { namedCurve: "P-256" });
const circleKeyId = "879dc113-5ca4-4ff7-a6b7-54652083fcf8";
const hash = `0x${"8".repeat(64)}`;
const own = "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc";
const stranger = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const secret = "a secret of the old service";
const ownSecret = newWebhookSecret();

/** The shape of each service's body for two equal transfers of one transaction, and its signature. */
const services = {
  alchemy: {
    chain: "ETH_MAINNET",
    bodies: [
      {
        webhookId: "wh_1",
        id: "whevt_1",
        createdAt: "2026-11-26T12:00:00.000Z",
        type: "ADDRESS_ACTIVITY",
        event: {
          network: "ETH_MAINNET",
          activity: [alchemyTransfer(own, "0x7"), alchemyTransfer(own, "0x8")],
        },
      },
    ],
    signed: (body: string) => ({ "x-alchemy-signature": hmac(secret, body) }),
  },
  moralis: {
    chain: "0x1",
    bodies: [
      {
        confirmed: true,
        chainId: "0x1",
        streamId: "b4dbc80e-8161-43d8-9c5a-05a8a4bba988",
        tag: "",
        retries: 0,
        block: { number: "21000000", hash, timestamp: "1764158400" },
        logs: [],
        txs: [],
        txsInternal: [],
        erc20Transfers: ["7", "8"].map((logIndex) => ({
          transactionHash: hash,
          logIndex,
          contract: stranger,
          from: stranger,
          to: own,
          value: "12500000",
          tokenSymbol: "USDC",
          tokenDecimals: "6",
          valueWithDecimals: "12.5",
        })),
        erc20Approvals: [],
        nftTransfers: [],
      },
    ],
    signed: (body: string) => ({ "x-signature": keccak256(Buffer.from(body + secret)) }),
  },
  bitgo: {
    chain: "usdc",
    bodies: ["1", "2"].map((transfer) => ({
      type: "transfer",
      state: "confirmed",
      coin: "usdc",
      wallet: "5f",
      transfer,
      hash,
    })),
    signed: (body: string) => ({ "x-signature-sha256": hmac(secret, body) }),
  },
  circle: {
    chain: "ETH",
    bodies: ["1", "2"].map((id) => ({
      subscriptionId: "c4d1da72-111e-4d52-bdbf-2e74a2d803d5",
      notificationId: `c4d1da72-111e-4d52-bdbf-2e74a2d803d${id}`,
      notificationType: "transactions.inbound",
      notification: {
        id,
        state: "COMPLETE",
        blockchain: "ETH",
        txHash: hash,
        sourceAddress: stranger,
        destinationAddress: own,
        amounts: ["12.5"],
        transactionType: "INBOUND",
      },
      timestamp: "2026-11-26T12:00:00.000Z",
      version: 2,
    })),
    signed: (body: string) => ({
      "x-circle-key-id": circleKeyId,
      "x-circle-signature": sign("sha256", Buffer.from(body), circle.privateKey).toString("base64"),
    }),
  },
  btcpay: {
    chain: "USDT-ETH",
    bodies: ["7", "8"].map((log) => ({
      deliveryId: `delivery-${log}`,
      webhookId: "webhook",
      originalDeliveryId: `delivery-${log}`,
      isRedelivery: false,
      type: "InvoicePaymentSettled",
      timestamp: 1_764_158_400,
      storeId: "store",
      invoiceId: "invoice",
      paymentMethodId: "USDT-ETH",
      payment: { id: `${hash}-${log}`, value: "12.50", status: "Settled", destination: own },
    })),
    signed: (body: string) => ({ "btcpay-sig": `sha256=${hmac(secret, body)}` }),
  },
};

type Name = keyof typeof services;
const names = ["alchemy", "moralis", "bitgo", "circle", "btcpay"] as const;
const orders = ["old", "chainbell"] as const;

test.each(names.flatMap((name) => orders.map((first) => ({ name, first }))))(
  "moving from $name, each of two deposits is credited once when the word of $first comes first",
  async ({ name, first }) => {
    const url = await start(name);
    const steps = { old: () => sendOld(url, name), chainbell: () => sendOwn(url) };
    const second = first === "old" ? "chainbell" : "old";

    await steps[first]();
    const amounts = name === "bitgo" && first === "old" ? 0 : 2;
    expect(await ask(`${url}/credits`)).toHaveLength(amounts);
    await steps[second]();
    await steps[first]();

    expect(await ask(`${url}/compare`)).toEqual({ both: 2, only_old: [], only_chainbell: [] });
    expect(await ask(`${url}/credits`)).toMatchObject([{ hash }, { hash }]);
  },
);

test.each(names)(
  "moving from %s, a wrong signature is refused and credits nothing",
  async (name) => {
    const url = await start(name);
    for (const body of services[name].bodies) {
      const genuine = JSON.stringify(body);
      const other = genuine.replace(hash, hash.replaceAll("8", "9"));
      expect(await post(`${url}/old`, genuine, {})).toBe(401);
      expect(await post(`${url}/old`, other, services[name].signed(genuine))).toBe(401);
    }
    const { body, headers } = ownDeposit("a");
    expect(await post(`${url}/hook`, body, {})).toBe(401);
    expect(await post(`${url}/hook`, body.replace("12.5", "99"), headers)).toBe(401);
    expect(await ask(`${url}/compare`)).toEqual({ both: 0, only_old: [], only_chainbell: [] });
  },
);

test("a deposit that is undone is credited no more, even if it arrives after its reversal", async () => {
  const url = await start("alchemy");
  const deposit = ownDeposit("a");
  const reversal = ownDeposit("a", "reversed");
  const later = ownDeposit("b");
  expect(await post(`${url}/hook`, reversal.body, reversal.headers)).toBe(204);
  expect(await post(`${url}/hook`, deposit.body, deposit.headers)).toBe(204);
  expect(await ask(`${url}/credits`)).toEqual([]);
  expect(await post(`${url}/hook`, later.body, later.headers)).toBe(204);
  expect(await ask(`${url}/credits`)).toHaveLength(1);
});

test("what leaves an address is no deposit, and an unknown chain is asked for again", async () => {
  const url = await start("alchemy");
  const event = { network: "ETH_MAINNET", activity: [alchemyTransfer(stranger, "0x7")] };
  const leaving = JSON.stringify({ event });
  const elsewhere = JSON.stringify({ event: { ...event, network: "BASE_MAINNET" } });
  expect(await post(`${url}/old`, leaving, services.alchemy.signed(leaving))).toBe(204);
  expect(await post(`${url}/old`, elsewhere, services.alchemy.signed(elsewhere))).toBe(500);
  expect(await ask(`${url}/credits`)).toEqual([]);
});

async function sendOld(url: string, name: Name): Promise<void> {
  for (const body of services[name].bodies) {
    const text = JSON.stringify(body);
    expect(await post(`${url}/old`, text, services[name].signed(text))).toBe(204);
  }
}

async function sendOwn(url: string): Promise<void> {
  for (const place of ["a", "b"]) {
    const { body, headers } = ownDeposit(place);
    expect(await post(`${url}/hook`, body, headers)).toBe(204);
  }
}

/** A body as Chainbell writes it, with the headers that it signs it with. */
function ownDeposit(place: string, state: "confirmed" | "reversed" = "confirmed") {
  const notificationId = idAt(Date.now());
  const body = notificationBody({
    id: notificationId,
    state,
    happenedAt: new Date(),
    subject: {
      transactionId: `01a20098-8fc0-7006-8000-07e22e7f4d9${place}`,
      type: "deposit",
      txHash: hash,
      amountAtomic: 12_500_000n,
      assetCode: "USDC",
      assetDecimals: 6,
      chainName: "ethereum",
      fromAddress: stranger,
      toAddress: own,
      memo: null,
      virtualAddress: null,
      lookalikeOf: null,
      walletId: "01a20098-39e4-7000-8000-02911919b011",
      reference: null,
      blockNumber: 21_000_000n,
      proof: "root",
      confirmedAlone: false,
    },
  });
  const headers = signatureHeaders({
    secret: ownSecret,
    nextSecret: null,
    ed25519Keys: [],
    notificationId,
    timestampSec: Math.floor(Date.now() / 1000),
    body,
  });
  return { body, headers };
}

function alchemyTransfer(toAddress: string, logIndex: string) {
  return {
    blockNum: "0x1406f40",
    hash,
    fromAddress: stranger,
    toAddress,
    value: 12.5,
    erc721TokenId: null,
    erc1155Metadata: null,
    asset: "USDC",
    category: "token",
    rawContract: { rawValue: `0x${"bebc20".padStart(64, "0")}`, address: stranger, decimals: 6 },
    typeTraceAddress: null,
    log: { transactionHash: hash, blockHash: hash, logIndex, removed: false },
  };
}

/** Starts the receiver on a free port. Resolves with its address. */
async function start(old: Name): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-moving-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "addresses.txt"), `${own}\n`);
  const child = spawn(process.execPath, [inCheckout("examples", "moving", "receiver.mjs")], {
    env: {
      OLD: old,
      OLD_SECRET: secret,
      OLD_API: old === "circle" ? await circleApi() : "",
      WEBHOOK_SECRET: ownSecret,
      CHAINS: `${services[old].chain}=ethereum`,
      ADDRESSES: join(folder, "addresses.txt"),
      PORT: "0",
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += String(chunk);
      const [, port] = /port (\d+)/.exec(printed) ?? [];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    });
    child.on("exit", (status) => reject(new Error(`the receiver ended with ${status}`)));
  });
}

/** Answers with the public key, as Circle's API does to who has the API key. */
async function circleApi(): Promise<string> {
  const publicKey = circle.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const server = createServer((request, response) => {
    const isKnown = request.url === `/v2/notifications/publicKey/${circleKeyId}`;
    const isAllowed = request.headers.authorization === `Bearer ${secret}`;
    response.writeHead(isKnown && isAllowed ? 200 : 404);
    response.end(
      JSON.stringify({ data: { id: circleKeyId, algorithm: "ECDSA_SHA_256", publicKey } }),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<number> {
  return (await fetch(url, { method: "POST", body, headers })).status;
}

async function ask(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

function hmac(key: string, body: string): string {
  return createHmac("sha256", key).update(body).digest("hex");
}
