import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { localAccount } from "../../src/development/chain/demo-token.ts";
import { inCheckout } from "../support/checkout.ts";
import { temporaryDataDirectory } from "../support/process/data-directory.ts";
import { freePort } from "../support/process/free-port.ts";
import { npmStart, signalGroup, startTimeoutMs, untilReady } from "../support/process/npm-start.ts";
import { runVerb } from "../support/process/run-cli.ts";
import { waitFor, waitForCount } from "../support/wait-for.ts";

test("the shop of the tutorial credits deposits, refunds, undoes, and misses nothing after an outage", async () => {
  const port = String(await freePort());
  const environment = { CHAINBELL_DATA_DIR: temporaryDataDirectory(), PORT: port };
  const verb = async (...args: string[]) => {
    const { status, stdout, stderr } = await runVerb([...args, "--json"], environment);
    if (status !== 0) throw new Error(`${args[0]} ended with ${status}: ${stdout}${stderr}`);
    return JSON.parse(stdout).data;
  };
  const daemon = npmStart(environment);
  await untilReady(daemon);
  const demo = /Demo Ltd, ([0-9a-f-]{36})/.exec(daemon.output())?.[1] ?? "";
  const scopes = ["--scope", "read,webhooks,wallets:write", "--max-wallets", "10"];
  const { key } = await verb("key", "create", "--business", demo, ...scopes);

  const shopPort = String(await freePort());
  const shopUrl = `http://127.0.0.1:${shopPort}`;
  const open = async () => {
    const child = spawn(process.execPath, [inCheckout("examples", "shop", "shop.mjs")], {
      env: { API_URL: `http://127.0.0.1:${port}`, API_KEY: key, PORT: shopPort },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += String(chunk);
    });
    await waitFor(async () => printed.includes("open"), {
      what: "the shop to open",
      timeoutMs: startTimeoutMs,
    });
    return child;
  };
  const ask = async (path: string, body?: object) => {
    const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(shopUrl + path, request);
    const text = await response.text();
    if (!response.ok) throw new Error(`the shop answered ${response.status}: ${text}`);
    return JSON.parse(text) as unknown;
  };
  const haveCredits = (credits: Record<string, string>) =>
    waitFor(
      async () => {
        expect(await ask("/customers")).toEqual([{ name: "Ada", credits }]);
        return true;
      },
      { what: `credits of ${JSON.stringify(credits)}`, timeoutMs: startTimeoutMs },
    );

  const shop = await open();
  const address = localAccount(7);
  await ask("/customers", { name: "Ada", blockchain: "anvil", address });
  // Refused with status 75 until the wallet's opening balance has been read.
  const pay = (...amount: string[]) =>
    waitFor(() => verb("deposit", "--to", address, ...amount), {
      what: "the wallet to be watched",
      timeoutMs: startTimeoutMs,
    });
  await pay("--amount", "1.5");
  await haveCredits({ ETH: "1.5" });
  await pay("--asset", "DUSD", "--amount", "12.5");
  await haveCredits({ ETH: "1.5", DUSD: "12.5" });
  await verb("withdraw", "--from", address, "--asset", "DUSD", "--amount", "2.25");
  await haveCredits({ ETH: "1.5", DUSD: "10.25" });
  await verb("reorg");
  await haveCredits({ ETH: "1.5", DUSD: "12.5" });

  const ended = new Promise((resolve) => shop.once("exit", resolve));
  shop.kill("SIGKILL");
  await ended;
  await pay("--amount", "2");
  await open();
  const day = { from: "2020-01-01", to: "2099-01-01" };
  await waitFor(
    async () => {
      await ask("/compare", day);
      expect(await ask("/customers")).toMatchObject([{ credits: { ETH: "3.5", DUSD: "12.5" } }]);
      return true;
    },
    { what: "the comparison to bring what was missed", timeoutMs: startTimeoutMs },
  );
  expect(await ask("/compare", day)).toEqual({ read: 4, missing: [], different: [] });
  signalGroup(daemon.child, "SIGINT");
  expect(await daemon.ended).toBe(0);
});

test("the shop keeps the newest state where an older answer is slower", async () => {
  const id = "01a219a8-45a0-800b-8000-02d9b3233aaa";
  const row = { id, wallet_id: "w", type: "deposit", asset: "ETH", amount: "1.5" };
  const secret = "whsec_shop";
  const held: (() => void)[] = [];
  const answers: Record<string, unknown> = {
    "POST /webhooks": { secret },
    "GET /wallets?limit=500": [{ wallet_id: "w", reference: "Ada" }],
  };
  const api = createServer(({ method, url }, response) => {
    const end = (data: unknown) => response.end(JSON.stringify({ success: true, data }));
    const known = answers[`${method} ${url}`];
    if (url === `/transactions/${id}`) {
      // The state of the first question is that from before a reorg.
      const status = held.length === 0 ? "completed" : "reversed";
      held.push(() => end({ ...row, status }));
    } else if (known === undefined) response.end('{"success":false,"error":{"code":"not_found"}}');
    else end(known);
  });
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  const shopPort = String(await freePort());
  const { port } = api.address() as AddressInfo;
  const shop = spawn(process.execPath, [inCheckout("examples", "shop", "shop.mjs")], {
    env: { API_URL: `http://127.0.0.1:${port}`, API_KEY: "key", PORT: shopPort },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    shop.kill("SIGKILL");
    api.closeAllConnections();
    api.close();
  });
  const customers = async () => (await fetch(`http://127.0.0.1:${shopPort}/customers`)).text();
  const ada = (credits: object) => JSON.stringify([{ name: "Ada", credits }]);
  const isOpen = async () => (await customers()) === ada({});
  await waitFor(isOpen, { what: "the shop", timeoutMs: startTimeoutMs });
  const asked = (count: number) =>
    waitForCount(() => held.length, count, { what: "questions", timeoutMs: startTimeoutMs });
  const send = async (event: string) => {
    const body = JSON.stringify({ event, data: { transactionId: id } });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { "x-webhook-signature": signature };
    const sent = { method: "POST", body, headers };
    return (await fetch(`http://127.0.0.1:${shopPort}/hook`, sent)).status;
  };

  const first = send("transaction.deposit");
  await asked(1);
  const second = send("transaction.reversed");
  // Now a shop that asks at once has asked.
  for (let look = 0; look < 50; look += 1) await customers();
  if (held[1] !== undefined) {
    held[1]();
    expect(await second).toBe(204);
  }
  held[0]?.();
  expect(await first).toBe(204);
  await asked(2);
  held[1]?.();
  expect(await second).toBe(204);
  expect(await customers()).toBe(ada({}));
});
