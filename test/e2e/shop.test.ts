import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { localAccount } from "../../src/development/chain/demo-token.ts";
import { freePort } from "../../src/development/process/free-port.ts";
import { inCheckout } from "../support/checkout.ts";
import { temporaryDataDirectory } from "../support/process/data-directory.ts";
import { npmStart, signalGroup, startTimeoutMs, untilReady } from "../support/process/npm-start.ts";
import { runVerb } from "../support/process/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";

test("the shop of the tutorial credits deposits, refunds, undoes, and misses nothing after an outage", async () => {
  const port = String(await freePort());
  const environment = { CHAINBELL_DATA_DIR: temporaryDataDirectory(), PORT: port };
  const verb = async (...args: string[]) =>
    JSON.parse((await runVerb([...args, "--json"], environment)).stdout).data;
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
    return (await fetch(shopUrl + path, request)).json() as Promise<unknown>;
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
    waitFor(async () => (await verb("deposit", "--to", address, ...amount)) ?? false, {
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
