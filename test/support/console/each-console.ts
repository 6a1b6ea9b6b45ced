import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { client } from "../api/api-client.ts";
import type { AnvilOptions } from "../chain/anvil.ts";
import { payer, shownWallet } from "../chain/cast.ts";
import { startReceivers } from "../delivery/receiver.ts";
import { allTests, eachTest } from "../each-test.ts";
import { type Customer, createCustomer } from "../process/customer.ts";
import { startDaemon } from "../process/daemon.ts";
import type { Deployment } from "../process/deployment.ts";
import { createResources } from "../resources.ts";
import { deploymentIn, startWorld, type World } from "../world.ts";
import { type Look, openPage, startBrowser, type TestBrowser } from "./browser.ts";

type ConsoleOptions = {
  /** Of the chain. */
  anvil?: AnvilOptions;
  /** What runs in the world; else its chain with one confirmation. */
  deploy?: (world: World) => Promise<Deployment>;
};

/** A daemon with its chain and no business, and a browser. */
async function startOperated({ anvil, deploy }: ConsoleOptions = {}) {
  const { open, end } = createResources();
  try {
    const world = await open(startWorld(anvil), (one) => one.end());
    const deployment = deploy === undefined ? deploymentIn(world) : await deploy(world);
    const daemon = await open(startDaemon(deployment), (one) => one.stop());
    const browser = await open(startBrowser(), (one) => one.close());
    return {
      databaseUrl: deployment.settings.databaseUrl,
      world,
      daemon,
      adminToken: deployment.adminToken,
      ...waysIn(browser, { ...daemon, ...deployment }),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function waysIn(browser: TestBrowser, { url, adminToken }: { url: string; adminToken: string }) {
  const isShown = (page: Page) => page.getByRole("link", { name: "Skip to the content" }).waitFor();
  const signIn = async (secret: string, look?: Look): Promise<SignedIn> => {
    const { page, complaints } = await openPage(browser, look);
    await page.context().addCookies([await sessionCookie(url, secret)]);
    await page.goto(`${url}/console/`);
    await isShown(page);
    return { page, complaints };
  };
  return {
    browser,
    /** Signs somebody in by a key or token. */
    signIn,
    /** The same through the page, as a person does it, which loads it and draws it twice. */
    async signInByHand(secret: string): Promise<SignedIn> {
      const { page, complaints } = await openPage(browser);
      await page.goto(`${url}/console/`);
      await page.getByLabel("API key or operator's token").fill(secret);
      await page.getByRole("button", { name: "Sign in" }).click();
      await isShown(page);
      return { page, complaints };
    },
    /** Signs the operator in. */
    asOperator: (look?: Look) => signIn(adminToken, look),
  };
}

/** The cookie of a session that a key or an operator's token begins. */
async function sessionCookie(url: string, secret: string) {
  const credential = secret.startsWith("cb_") ? { api_key: secret } : { admin_token: secret };
  const { headers } = await client(url, { origin: url }).call(
    "POST",
    "/console/session",
    credential,
  );
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(headers.get("set-cookie") ?? "") ?? [];
  const kept = { httpOnly: true, secure: true, sameSite: "Strict" } as const;
  return { name, value, domain: new URL(url).hostname, path: "/", ...kept };
}

/** The same with a business, whose receiver can be told what to answer. */
async function startConsole(options: ConsoleOptions = {}) {
  const operated = await startOperated(options);
  const { world, daemon, signIn } = operated;
  try {
    const customer: Customer = await createCustomer({
      ...daemon,
      blockchain: "anvil",
      addresses: [shownWallet],
      receiver: world.receiver,
    });
    return {
      ...operated,
      customer,
      /** Signs the business in. */
      asBusiness: (look?: Look) => signIn(customer.key, look),
      /** Pays the business's wallet. */
      pay: (amountAtomic: bigint) =>
        world.anvil.sendNative({ from: payer, to: shownWallet, amountAtomic }),
    };
  } catch (error) {
    await operated.end();
    throw error;
  }
}

/** The most tests of a file that has eachBusiness. */
const mostTests = 16;

/** A daemon that may notify as many receivers. */
async function startShared() {
  const { open, end } = createResources();
  try {
    const receivers = await open(startReceivers(mostTests), (all) => all.stop());
    const receiverPorts = receivers.ports;
    const deploy = async (world: World): Promise<Deployment> => {
      const deployment = deploymentIn(world);
      // The second attempt is after the tests, however long they take.
      const scheduleMs = [0, 1_800_000];
      return { ...deployment, settings: { ...deployment.settings, receiverPorts, scheduleMs } };
    };
    const operated = await open(startOperated({ deploy }), (one) => one.end());
    return { ...operated, receivers, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A business with a wallet and a receiver of its own at a shared daemon, and a browser. */
async function openBusiness(shared: Awaited<ReturnType<typeof startShared>>) {
  const { daemon, databaseUrl, adminToken, world, receivers } = shared;
  const receiver = receivers.take();
  const address = `0x${randomBytes(20).toString("hex")}`;
  const of = { blockchain: "anvil", addresses: [address], receiver };
  const customer = await createCustomer({ ...daemon, ...of });
  const browser = await startBrowser();
  const ways = waysIn(browser, { ...daemon, adminToken });
  return {
    daemon,
    databaseUrl,
    customer,
    world: { ...world, receiver },
    ...ways,
    asBusiness: (look?: Look) => ways.signIn(customer.key, look),
    /** Pays the business's wallet. */
    pay: (amountAtomic: bigint) =>
      world.anvil.sendNative({ from: payer, to: address, amountAtomic }),
    end: () => browser.close(),
  };
}

/** A page, and what the browser has said against it so far. */
type SignedIn = { page: Page; complaints: string[] };

/** A console for each test, see eachTest. */
export function eachConsole() {
  return eachTest(
    () => startConsole(),
    (one) => one.end(),
  );
}

/**
 * One daemon for all tests of a file, and for each test a business with a wallet, a receiver and
 * pages of its own. What a test does to the daemon as a whole is met by those after it.
 */
export function eachBusiness() {
  const shared = allTests(startShared, (one) => one.end());
  return eachTest(
    () => openBusiness(shared),
    (one) => one.end(),
  );
}

/** One for all tests of a file, which only look at it, see allTests. */
export function oneConsole(options: ConsoleOptions = {}) {
  return allTests(
    () => startConsole(options),
    (one) => one.end(),
  );
}

/** One without a business, for all tests of a file. */
export function oneEmptyConsole() {
  return allTests(
    () => startOperated(),
    (one) => one.end(),
  );
}
