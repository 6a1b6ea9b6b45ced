import { spawn } from "node:child_process";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { keccak256 } from "viem";
import { expect, onTestFinished, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";

const circle = generateKeyPairSync("ec", { namedCurve: "P-256" });
const hash = `0x${"8".repeat(64)}`;
const to = "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc";
const amount = "12.5";
const asset = "USDC";
const secret = "a secret of the old service";

/** The body of each service for one payment, and how it signs. */
const services = {
  alchemy: {
    body: { event: { activity: [{ hash, toAddress: to.toLowerCase(), value: 12.5, asset }] } },
    signed: (body: string) => ({ "x-alchemy-signature": hmac(secret, body) }),
  },
  moralis: {
    body: {
      confirmed: true,
      erc20Transfers: [{ transactionHash: hash, to: to.toLowerCase(), valueWithDecimals: amount }],
    },
    signed: (body: string) => ({ "x-signature": keccak256(Buffer.from(body + secret)) }),
  },
  bitgo: {
    body: { type: "transfer", state: "confirmed", hash },
    signed: (body: string) => ({ "x-signature-sha256": hmac(secret, body) }),
  },
  circle: {
    body: {
      notificationType: "transactions.inbound",
      notification: { state: "COMPLETE", txHash: hash, destinationAddress: to, amounts: [amount] },
    },
    signed: (body: string) => ({
      "x-circle-signature": sign("sha256", Buffer.from(body), circle.privateKey).toString("base64"),
    }),
  },
  btcpay: {
    body: { type: "InvoicePaymentSettled", payment: { id: hash, destination: to, value: amount } },
    signed: (body: string) => ({ "btcpay-sig": `sha256=${hmac(secret, body)}` }),
  },
} as const;

test.each(["alchemy", "moralis", "bitgo", "circle", "btcpay"] as const)(
  "the receiver of docs/moving takes %s and Chainbell, and credits once",
  async (name) => {
    const url = await start(name);
    const data = { txHash: hash, toAddress: to, amount, asset };
    const own = JSON.stringify({ event: "transaction.deposit", data });
    const old = JSON.stringify(services[name].body);

    expect(await post(`${url}/old`, old, {})).toBe(401);
    expect(await post(`${url}/hook`, own, {})).toBe(401);
    expect(await post(`${url}/hook`, own, { "x-webhook-signature": hmac("own", own) })).toBe(204);
    expect(await ask(`${url}/compare`)).toMatchObject({ both: 0, only_chainbell: [{ hash, to }] });
    expect(await ask(`${url}/credits`)).toEqual([]);

    for (const _ of [1, 2])
      expect(await post(`${url}/old`, old, services[name].signed(old))).toBe(204);
    expect(await ask(`${url}/compare`)).toEqual({ both: 1, only_old: [], only_chainbell: [] });
    expect(await ask(`${url}/credits`)).toMatchObject([{ hash }]);
  },
);

/** Starts the receiver on a free port. Resolves with its address. */
function start(old: keyof typeof services): Promise<string> {
  const key = circle.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const child = spawn(process.execPath, [inCheckout("examples", "moving", "receiver.mjs")], {
    env: {
      OLD: old,
      OLD_SECRET: old === "circle" ? key : secret,
      WEBHOOK_SECRET: "own",
      PORT: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
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

async function post(url: string, body: string, headers: Record<string, string>): Promise<number> {
  return (await fetch(url, { method: "POST", body, headers })).status;
}

async function ask(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

function hmac(key: string, body: string): string {
  return createHmac("sha256", key).update(body).digest("hex");
}
